// A small PDF of one page, which readers open.

const source = [
  "%PDF-1.4",
  "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj",
  "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj",
  "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj",
  "trailer<</Root 1 0 R>>",
  "%%EOF",
].join("\n");

/** In base64, and as the `data:` URL that OpenAI's clients send. */
export const pdf = btoa(source);
export const pdfUrl = `data:application/pdf;base64,${pdf}`;
