"""Checks vectors.json with PyJWT, in the order that docs/receipts.md says, and prints what it finds."""

import base64
import hashlib
import json
import pathlib

import jwt

FILE = json.loads(pathlib.Path(__file__).with_name("vectors.json").read_text())
NOW = FILE["now"]


def canonical(value):
    """RFC 8785 of what the vectors have; numbers of other sizes need a library for it."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float) and value.is_integer():
        return f"{int(value)}" if abs(value) < 1e21 else repr(value)
    return json.dumps(value, ensure_ascii=False)


def digest(value):
    return base64.urlsafe_b64encode(hashlib.sha256(canonical(value).encode()).digest()).rstrip(b"=").decode()


def request_digest(method, params):
    if method == "tools/call":
        asked = {"name": params["name"], "arguments": params.get("arguments") or {}}
    else:
        asked = {name: value for name, value in params.items() if name not in ("_meta", "task")}
    return digest({"method": method, "params": asked})


def reply_digest(result):
    return digest({name: value for name, value in result.items() if name not in ("_meta", "resultType")})


def error_of(vector):
    try:
        header = jwt.get_unverified_header(vector["receipt"])
    except jwt.PyJWTError:
        return "malformed"
    if header.get("alg") != "ES256" or header.get("typ") != "countersign-receipt+jwt" or vector["receipt"].endswith("."):
        return "malformed"
    key = next((key for key in FILE["keys"] if key["kid"] == header["kid"]), None)
    if key is None:
        return "unknownKey"
    options = {"verify_exp": False, "verify_iat": False, "verify_aud": False, "verify_iss": False}
    try:
        claims = jwt.decode(vector["receipt"], jwt.PyJWK(key).key, algorithms=["ES256"], options=options)
    except jwt.InvalidSignatureError:
        return "badSignature"
    if claims["v"] != 1:
        return "malformed"
    if "revoked" in key:
        return "revokedKey"
    if claims["iss"] != FILE["issuer"]:
        return "otherIssuer"
    if claims["aud"] != FILE["audience"]:
        return "otherAudience"
    if claims["iat"] > NOW + 60:
        return "notYetValid"
    if min(claims["exp"], claims["iat"] + 3600) <= NOW:
        return "expired"
    if claims["decision"] != "approved":
        return "notApproved"
    request = vector.get("request", FILE["request"])
    if claims["method"] != request["method"] or claims["request"].get("jcs") != request_digest(**request):
        return "otherRequest"
    answers = request["params"].get("inputResponses", {})
    for key, approved in claims["request"].get("inputResponses", {}).items():
        if key not in answers or digest(answers[key]) != approved:
            return "otherRequest"
    if "reply" in vector and claims.get("reply", {}).get("jcs") != reply_digest(vector["reply"]):
        return "otherReply"
    return None


print(json.dumps({vector["name"]: error_of(vector) for vector in FILE["vectors"]}))
