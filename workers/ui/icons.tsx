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
  home: "M4 11l8-7 8 7v9h-5v-6H9v6H4z",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  route: "M5 15.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5M19 3.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5M7.5 18H14a4 4 0 0 0 0-8h-4a4 4 0 0 1 0-8",
  shield: "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM8.5 12l2.5 2.5 4.5-5",
  key: "M8 10.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M11.5 11.5L20 3M16 7l3 3",
  server: "M4 4h16v7H4zM4 13h16v7H4zM8 7.5h.01M8 16.5h.01",
  people:
    "M9 4a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7M2.5 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5c2 .8 3.500 2.700 3.500 5.500",
  coin: "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M15 8.500c-.7-1-1.800-1.500-3-1.500-1.700 0-3 .9-3 2.400 0 3.400 6 1.600 6 5 0 1.600-1.300 2.600-3 2.600-1.400 0-2.600-.6-3.200-1.700M12 5.500v13",
  bars: "M4 20V12M10 20V5M16 20v-9M21 20H3",
  book: "M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM9 9h6M9 13h6",
  up: "M12 19V5M5.500 11.500L12 5l6.500 6.500",
  down: "M12 5v14M5.500 12.500L12 19l6.500-6.500",
  stop: "M8 3h8l5 5v8l-5 5H8l-5-5V8zM8.500 12h7",
} as const;

export const Icon = ({ of }: { of: keyof typeof paths }) => (
  <svg class={`i i-${of}`} viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[of]} />
  </svg>
);
