// The phrases of phrases.ts in German, French, Spanish, Portuguese, Italian, Japanese, Korean and
// Russian: the plainest form of each. All texts are in lower case.

import type { Part } from "../secret-shapes.ts";

type Phrase = {
  /** Searched for first, because most texts have none. */
  readonly stems: readonly string[];
  readonly pattern: RegExp;
};

const overriding: readonly Phrase[] = [
  {
    stems: ["anweisung", "regeln", "vorgaben"],
    pattern: /(?:ignorier|vergiss|vergessen sie|missacht)[^.\n]{0,40}(?:anweisung|regeln|vorgaben)/,
  },
  { stems: ["nutzer"], pattern: /(?:sag|sage|sagen sie|verrat|verrate) (?:dem|der|den) (?:be)?nutzer\w* (?:nichts|nicht)/ },
  {
    stems: ["instructions", "consignes", "règles"],
    pattern: /(?:ignor|oubli)(?:e|es|ez|er)\b[^.\n]{0,30}(?:instructions|consignes|règles)[^.\n]{0,20}(?:précédent|ci-dessus|antérieur)/,
  },
  { stems: ["consignes"], pattern: /oubli(?:e|ez) (?:les|toutes les) consignes/ },
  { stems: ["l'utilisateur", "l’utilisateur"], pattern: /(?:n'en parle\w*|ne (?:le )?(?:dis|dites|montre\w*)) pas à l['’]utilisateur/ },
  { stems: ["instrucciones", "reglas"], pattern: /(?:ignor|olvid)(?:a|e|ar|en)\b[^.\n]{0,30}(?:instrucciones|reglas)/ },
  { stems: ["al usuario"], pattern: /no (?:se )?(?:lo )?(?:digas?|cuentes?|muestres?|menciones?)[^.\n]{0,16}al usuario/ },
  { stems: ["instruções", "regras"], pattern: /(?:ignor|esque[cç])(?:e|a|ar)\b[^.\n]{0,30}(?:instruções|regras)/ },
  { stems: ["ao usuário"], pattern: /não (?:conte|diga|mostre|mencione)[^.\n]{0,16}ao usuário/ },
  { stems: ["istruzioni", "regole"], pattern: /(?:ignor|dimentic)(?:a|are|ate|hi)\b[^.\n]{0,30}(?:istruzioni|regole)/ },
  { stems: ["指示", "命令", "ルール"], pattern: /(?:指示|命令|ルール)[^。\n]{0,10}(?:無視|忘れ)/ },
  { stems: ["ユーザー", "利用者"], pattern: /(?:ユーザー|利用者)に(?:は)?(?:言わ|伝え|知らせ|教え|見せ)ない/ },
  { stems: ["지시", "규칙"], pattern: /(?:지시|규칙)[^.\n]{0,8}(?:무시|잊)/ },
  { stems: ["사용자에게"], pattern: /사용자에게[^.\n]{0,8}(?:말하지|알리지)/ },
  { stems: ["инструкци", "правил", "указани"], pattern: /(?:игнориру|забудь|не обращай)[^.\n]{0,30}(?:инструкци|правил|указани)/ },
  { stems: ["пользовател"], pattern: /не (?:говори|сообщай|показывай|рассказывай)[^.\n]{0,16}пользовател/ },
];

const addressing: readonly Phrase[] = [
  { stems: ["genehmig"], pattern: /bitte (?:direkt |sofort )?genehmigen|genehmigen sie (?:diese|die) (?:anfrage|antwort)|prüfende person/ },
  { stems: ["approuv"], pattern: /(?:merci de|veuillez|prière de) (?:l['’])?approuver|approuvez (?:cette|la) (?:demande|requête|réponse)/ },
  { stems: ["apru", "aprob"], pattern: /por favor,? apru[eé]b|apru[eé]be(?:la|lo)|apruebe (?:esta|la) (?:solicitud|respuesta)/ },
  { stems: ["aprov"], pattern: /por favor,? aprov|aprove (?:esta|a) (?:solicitação|resposta)/ },
  { stems: ["approv"], pattern: /si prega di approvare|approvi (?:questa|la) richiesta/ },
  { stems: ["承認"], pattern: /(?:そのまま|このまま|すぐに)承認|承認をお願い|(?:審査|承認)担当者/ },
  { stems: ["승인"], pattern: /(?:바로|그대로) 승인|승인해 ?주세요/ },
  { stems: ["одобр"], pattern: /(?:пожалуйста,? )одобр|одобрите (?:этот|данный) запрос/ },
];

/** Every match of a pattern. */
export function* matchesOf(pattern: RegExp, text: string): Generator<Part> {
  // Most texts have none, and a pattern of its own for each call is dear.
  if (!pattern.test(text)) return;
  for (const match of text.matchAll(new RegExp(pattern.source, `${pattern.flags}g`)))
    yield { start: match.index, end: match.index + match[0].length };
}

function* found(lower: string, phrases: readonly Phrase[]): Generator<Part> {
  for (const { stems, pattern } of phrases) if (stems.some((stem) => lower.includes(stem))) yield* matchesOf(pattern, lower);
}

/** The parts that tell a model to ignore its instructions or to hide something from people. */
export const overriddenElsewhere = (lower: string): Generator<Part> => found(lower, overriding);

/** The parts that ask its reviewer to approve. */
export const addressedElsewhere = (lower: string): Generator<Part> => found(lower, addressing);
