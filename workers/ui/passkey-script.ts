// The script of pages that want a passkey: it asks the browser for one when a button is pressed,
// and then sends the form with what the passkey signed. Without it nothing is sent that a passkey
// has to confirm. It decides nothing that the server does not check. A constant.

import { passkeyFields } from "../../shared/review/passkey-form.ts";

export const passkeyScript = `
(() => {
  "use strict";
  const said = document.getElementById("passkey-said");
  const form = said?.closest("form");
  if (!form) return;
  const words = JSON.parse(said.dataset.words);
  const field = (name) => form.elements.namedItem(name);
  const { proof, nonce, made } = ${JSON.stringify(passkeyFields)};
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const ids = (all) => all.map((each) => ({ ...each, id: bytes(each.id) }));
  const sign = async (options) => {
    const publicKey = { ...options, challenge: bytes(options.challenge), allowCredentials: ids(options.allowCredentials) };
    const { id, response } = await navigator.credentials.get({ publicKey });
    const { authenticatorData, clientDataJSON, signature } = response;
    const signed = { authenticatorData: text(authenticatorData), clientDataJSON: text(clientDataJSON), signature: text(signature) };
    return JSON.stringify({ id, response: signed });
  };
  const make = async (options) => {
    const user = { ...options.user, id: bytes(options.user.id) };
    const publicKey = { ...options, user, challenge: bytes(options.challenge), excludeCredentials: ids(options.excludeCredentials) };
    const { id, type, response } = await navigator.credentials.create({ publicKey });
    const { attestationObject, clientDataJSON } = response;
    const transports = response.getTransports?.() ?? [];
    const given = { attestationObject: text(attestationObject), clientDataJSON: text(clientDataJSON), transports };
    return JSON.stringify({ id, rawId: id, type, response: given, clientExtensionResults: {} });
  };
  /** Fills the fields. False where the server is to say what is wrong with the form. */
  const fill = async (submitter) => {
    const { create, confirm, decide } = said.dataset;
    if (create !== undefined) {
      if (confirm !== undefined) field(proof).value = await sign(JSON.parse(confirm));
      field(made).value = await make(JSON.parse(create));
      return;
    }
    const answer = await fetch(decide, { method: "POST", body: new URLSearchParams(new FormData(form, submitter)) });
    if (!answer.ok) return;
    const asked = await answer.json();
    field(proof).value = await sign(asked.options);
    field(nonce).value = asked.nonce;
  };
  const needs = ({ value }) => said.dataset.decide === undefined || /^(?:(?:approve|answer):\\d+|askModel|fill|allow)$/.test(value);
  const clear = () => {
    for (const name of [proof, nonce, made]) if (field(name)) field(name).value = "";
  };
  addEventListener("pageshow", clear);
  let state = "idle";
  form.addEventListener("submit", (event) => {
    const { submitter } = event;
    if (event.defaultPrevented || submitter === null || !needs(submitter)) return;
    if (state === "filled") {
      state = "idle";
      return;
    }
    event.preventDefault();
    if (state === "asking") return;
    if (window.PublicKeyCredential === undefined) {
      said.textContent = words.none;
      return;
    }
    state = "asking";
    clear();
    said.textContent = words.asking;
    fill(submitter).then(
      () => {
        state = "filled";
        said.textContent = "";
        form.requestSubmit(submitter);
        state = "idle";
      },
      () => {
        state = "idle";
        clear();
        said.textContent = words.failed;
      },
    );
  });
})();
`;
