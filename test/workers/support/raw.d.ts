// A text file as a module: Vite's `?raw`.

declare module "*.md?raw" {
  const text: string;
  export default text;
}
