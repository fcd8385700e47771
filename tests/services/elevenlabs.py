"""A stand-in for api.elevenlabs.io: the operations that skills/elevenlabs uses, with the service's errors.

Keys: "sk_ann" has all permissions, "sk_narrow" only voices_read; all others are refused.
DIR/elevenlabs.audio has the bytes of the last audio that was sent.
"""
import hashlib
import json
import os
import re

from standin import JSON, MULTIPART, Refused, Reply, Service, Violation

KEYS = {"sk_ann": {"user_read", "voices_read", "voices_write", "text_to_speech", "sound_generation"},
        "sk_narrow": {"voices_read"}}
CODECS = {"mp3": "audio/mpeg", "opus": "audio/ogg", "pcm": "application/octet-stream", "ulaw": "audio/basic", "alaw": "audio/basic"}
FORMATS = {"mp3_22050_32", "mp3_24000_48", "mp3_44100_32", "mp3_44100_64", "mp3_44100_96", "mp3_44100_128", "mp3_44100_192",
           "pcm_8000", "pcm_16000", "pcm_22050", "pcm_24000", "pcm_32000", "pcm_44100", "pcm_48000", "ulaw_8000", "alaw_8000",
           "opus_48000_32", "opus_48000_64", "opus_48000_96", "opus_48000_128", "opus_48000_192"}
MOST = {"eleven_multilingual_v2": 10000, "eleven_v3": 5000, "eleven_flash_v2_5": 40000, "eleven_turbo_v2_5": 40000}
MOST_OF_A_SOUND = 450
KEY = "xi-api-key"


def voice_of(voice_id, name, category, labels, **more):
    """Returns a voice with the fields that the service sends, many of which are null."""
    owned = category == "cloned"
    return {
        "voice_id": voice_id, "name": name, "samples": None, "category": category,
        "fine_tuning": {"is_allowed_to_fine_tune": owned, "state": {}, "verification_failures": [], "language": None},
        "labels": labels, "description": None, "preview_url": None, "available_for_tiers": [], "settings": None, "sharing": None,
        "high_quality_base_model_ids": [], "verified_languages": [], "collection_ids": None, "safety_control": None,
        "voice_verification": {"requires_verification": False, "is_verified": False, "verification_failures": []},
        "permission_on_resource": "admin" if owned else None, "is_owner": owned, "is_legacy": False, **more}


def first_state():
    voices = [
        voice_of("21m00Tcm4TlvDq8ikWAM", "Rachel", "premade", {"accent": "american", "gender": "female"},
                 description="Calm, for narration.", preview_url="https://storage.example.com/rachel.mp3",
                 high_quality_base_model_ids=["eleven_multilingual_v2", "eleven_flash_v2_5"],
                 verified_languages=[{"language": "en", "model_id": "eleven_multilingual_v2", "accent": "american",
                                      "locale": "en-US", "preview_url": None}]),
        voice_of("pNInz6obpgDQGcFmaJgB", "Adam", "premade", {"accent": "american", "gender": "male"}),
        voice_of("c38kUX8pkfYO2kHyqfFy", "Équipe 🎙️ \"Team\"", "cloned", {"use_case": "announcements"},
                 samples=[{"sample_id": "DCwhRBWXzGAHq8TQ4Fs1", "file_name": "team.mp3", "mime_type": "audio/mpeg",
                           "size_bytes": 102400, "hash": "0f", "duration_secs": 6.4}])]
    return {"voices": {voice["voice_id"]: voice for voice in voices}, "characters": 17231, "limit": 100000, "history": [],
            "uploads": []}


def error(http, status, message):
    return Refused(http, {"detail": {"status": status, "message": message}})


def permit(request, permission):
    key = request.headers.get(KEY)
    if key is None:
        raise error(401, "needs_authorization", "Neither authorization header nor xi-api-key received, please provide one.")
    if key not in KEYS:
        raise error(401, "invalid_api_key", "Invalid API key")
    if permission not in KEYS[key]:
        raise error(401, "missing_permissions",
                    "The API key you used is missing the permission %s to execute this operation." % permission)


def number(value, name, low, high):
    """Returns None, or a number within bounds; refuses others with 422, as the service does."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise Refused(422, {"detail": [{"loc": ["body", name], "msg": "Input should be within %s and %s" % (low, high),
                                        "type": "range"}]})
    return value


def audio_of(text, form):
    """Returns bytes with the header of the format, among them zeros, line feeds and bytes that are not UTF-8."""
    start = {"mp3": b"ID3\x04\0\0\0\0\0\0\xff\xfb\x90\x00", "opus": b"OggS\0\x02"}.get(form.partition("_")[0], b"")
    seed = hashlib.sha512((form + text).encode()).digest()
    return start + b"\0\r\n\xff" + seed * (20 + len(text) // 8)


class ElevenLabs(Service):
    def charge(self, characters):
        left = self.state["limit"] - self.state["characters"]
        if characters > left:
            raise error(401, "quota_exceeded",
                        "This request exceeds your quota of %d. You have %d credits remaining, while %d credits are required "
                        "for this request." % (self.state["limit"], left, characters))
        self.state["characters"] += characters

    def voice(self, voice_id):
        if voice_id not in self.state["voices"]:
            raise error(404, "voice_not_found", "A voice with the voice_id %s was not found." % voice_id)
        return self.state["voices"][voice_id]

    def audio(self, request, entry, cost):
        form = request.query.get("output_format", "mp3_44100_128")
        if form not in FORMATS:
            raise Violation("output_format=%s" % form)
        self.charge(cost)
        content = audio_of(entry["text"], form)
        with open(self.file(".audio"), "wb") as file:
            file.write(content)
        self.state["history"].append({**entry, "format": form, "bytes": len(content)})
        return Reply(200, content, {"Content-Type": CODECS[form.partition("_")[0]], "current-concurrent-requests": "1",
                                    "maximum-concurrent-requests": "5", "request-id": "r%d" % len(self.state["history"])})


def text_of(request, most):
    text = request.fields.get("text")
    if not isinstance(text, str) or not text:
        raise Refused(422, {"detail": [{"loc": ["body", "text"], "msg": "Field required", "type": "missing"}]})
    if len(text) > most:
        raise error(400, "max_character_limit_exceeded",
                    "This request's text has %d characters and exceeds the character limit of %d characters." % (len(text), most))
    return text


def make(directory):
    if os.path.exists(os.path.join(directory, "elevenlabs.json")):
        raise RuntimeError("there is a state already")
    service = ElevenLabs("elevenlabs", directory, first_state())
    state = service.state

    @service.on("GET", "/v1/voices", headers=KEY)
    def _list(request, _):
        permit(request, "voices_read")
        return {"voices": list(state["voices"].values())}

    @service.on("GET", "/v1/voices/([A-Za-z0-9]+)", headers=KEY)
    def _get(request, match):
        permit(request, "voices_read")
        return {**service.voice(match[1]), "settings": {"stability": 0.5, "use_speaker_boost": True, "similarity_boost": 0.75,
                                                        "style": 0.0, "speed": 1.0}}

    @service.on("POST", "/v1/voices/add", headers=KEY, body=MULTIPART,
                fields="name description labels remove_background_noise files")
    def _add(request, _):
        permit(request, "voices_write")
        fields, files = {}, []
        for name, file_name, content in request.fields:
            if name == "files" and file_name and content:
                files.append({"name": file_name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()})
            elif name != "files" and file_name is None and name not in fields:
                fields[name] = content.decode()
            else:
                raise Violation("the part %r with the file name %r" % (name, file_name))
        if fields.get("remove_background_noise", "false") not in ("true", "false"):
            raise Violation("remove_background_noise=%s" % fields["remove_background_noise"])
        labels = json.loads(fields.get("labels", "{}"))
        if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
            raise Violation("labels %r" % labels)
        if not fields.get("name") or not files:
            missing = "name" if not fields.get("name") else "files"
            raise Refused(422, {"detail": [{"loc": ["body", missing], "msg": "Field required", "type": "missing"}]})
        if len(state["voices"]) >= 30:
            raise error(400, "voice_limit_reached", "You have reached your maximum amount of custom voices (30 / 30).")
        voice_id = hashlib.sha256(fields["name"].encode() + files[0]["sha256"].encode()).hexdigest()[:20]
        verify = "famous" in labels.get("speaker", "")
        state["uploads"].append({"voice_id": voice_id, **fields, "files": files})
        state["voices"][voice_id] = voice_of(
            voice_id, fields["name"], "cloned", labels, description=fields.get("description"),
            samples=[{"sample_id": file["sha256"][:20], "file_name": file["name"], "mime_type": "audio/mpeg",
                      "size_bytes": file["bytes"], "hash": file["sha256"], "duration_secs": None} for file in files],
            voice_verification={"requires_verification": verify, "is_verified": False, "verification_failures": []})
        return {"voice_id": voice_id, "requires_verification": verify}

    @service.on("POST", "/v1/text-to-speech/([A-Za-z0-9]+)", query="output_format", headers=KEY, body=JSON,
                fields="text model_id language_code seed voice_settings/stability voice_settings/similarity_boost "
                       "voice_settings/style voice_settings/speed voice_settings/use_speaker_boost")
    def _speak(request, match):
        permit(request, "text_to_speech")
        service.voice(match[1])
        model = request.fields.get("model_id", "eleven_multilingual_v2")
        if model not in MOST:
            raise error(400, "model_not_found", "A model with model ID %s does not exist" % model)
        text = text_of(request, MOST[model])
        entry = {"voice": match[1], "model": model, "text": text}
        settings = request.fields.get("voice_settings")
        if settings is not None:
            entry["settings"] = settings
            for name, high in (("stability", 1), ("similarity_boost", 1), ("style", 1), ("speed", 1.2)):
                number(settings.get(name), name, 0.7 if name == "speed" else 0, high)
            if settings.get("use_speaker_boost", True) not in (True, False):
                raise Violation("voice_settings %r" % settings)
        language, seed = request.fields.get("language_code"), request.fields.get("seed")
        if language is not None and not re.fullmatch("[a-z]{2,3}", language):
            raise Violation("language_code %r" % language)
        number(seed, "seed", 0, 4294967295)
        entry.update({name: value for name, value in (("language", language), ("seed", seed)) if value is not None})
        return service.audio(request, entry, len(text))

    @service.on("POST", "/v1/sound-generation", query="output_format", headers=KEY, body=JSON,
                fields="text duration_seconds prompt_influence loop model_id")
    def _sound(request, _):
        permit(request, "sound_generation")
        entry = {"text": text_of(request, MOST_OF_A_SOUND),
                 "seconds": number(request.fields.get("duration_seconds"), "duration_seconds", 0.5, 30),
                 "influence": number(request.fields.get("prompt_influence", 0.3), "prompt_influence", 0, 1),
                 "loop": request.fields.get("loop", False)}
        if request.fields.get("model_id") != "eleven_text_to_sound_v2" or entry["loop"] not in (True, False):
            raise Violation("model_id or loop")
        return service.audio(request, entry, 200)

    @service.on("GET", "/v1/user", headers=KEY)
    def _user(request, _):
        permit(request, "user_read")
        return {"user_id": "u1a2b3c4d5", "subscription": {
            "tier": "creator", "character_count": state["characters"], "character_limit": state["limit"],
            "can_extend_character_limit": False, "next_character_count_reset_unix": 1738356858,
            "voice_slots_used": sum(voice["category"] == "cloned" for voice in state["voices"].values()), "voice_limit": 30,
            "can_use_instant_voice_cloning": True, "can_use_professional_voice_cloning": True, "currency": "usd",
            "status": "active"}, "is_new_user": False, "xi_api_key": None, "first_name": "Ann", "is_api_key_hashed": True}

    return service
