// Names of models, providers and people compared without regard to case. Imports nothing.

/**
 * Text made comparable without regard to case: canonical composition (NFC), then Unicode's upper
 * and lower case mappings of no particular language, so that `ß` meets `SS`, every sigma is one,
 * and `İ` does not meet `i`.
 */
export const foldCase = (text: string): string => text.normalize("NFC").toUpperCase().toLowerCase().replaceAll("ς", "σ");
