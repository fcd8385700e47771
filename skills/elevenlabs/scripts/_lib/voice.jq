# Converts a voice of an answer to the output's form. Fields that ElevenLabs omits are null.
def voice: {
  id: .voice_id, name: (.name // ""), category: (.category // null), labels: (.labels // {}),
  description: (.description // null), previewUrl: (.preview_url // null)
};
