# One voice of an answer, as the output has it. Fields that ElevenLabs leaves out or has as null are null here.
def voice: {
  id: .voice_id, name: (.name // ""), category: (.category // null), labels: (.labels // {}),
  description: (.description // null), previewUrl: (.preview_url // null)
};
