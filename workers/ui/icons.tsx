// The page's few signs, drawn in the page itself. Each stands beside its word.

const paths = {
  brand: "M2.5 12.5l4 4 7.5-9M10.5 15.5l1 1 8.5-10",
  check: "M4 12.5l5 5L20 6.5",
  clock: "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M12 7v5l3.5 2",
  cross: "M5 5l14 14M19 5L5 19",
  info: "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M12 11v5M12 7.6v.1",
  pencil: "M4 20l1-4.5L16.5 4a2 2 0 0 1 3 0l.5.5a2 2 0 0 1 0 3L8.5 19z",
  undo: "M4 9h11a5 5 0 0 1 0 10H9M8 5L4 9l4 4",
  warning: "M12 3.5L22 20.5H2zM12 10v4.5M12 17.6v.1",
  dots: "M5 12h.01M12 12h.01M19 12h.01",
} as const;

export const Icon = ({ of }: { of: keyof typeof paths }) => (
  <svg class={`i i-${of}`} viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[of]} />
  </svg>
);
