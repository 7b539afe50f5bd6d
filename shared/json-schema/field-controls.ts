// The names of the controls of the fields by a schema (schema-fields.ts), and what they hold when
// the form is sent. Each begins with the pointer of its field.

type Place = { readonly pointer: string };

/** The names and values of the controls of a form, as it was sent. */
export type Typed = ReadonlyMap<string, string>;

/**
 * The control that leaves a member or an item out, or makes a value null. No pointer ends so: after
 * `~` it has 0 or 1.
 */
export const outControl = ({ pointer }: Place): string => `${pointer}~.out`;

/** The box of one of several choices. The control of the field's name says that they were shown. */
export const boxControl = ({ pointer }: Place, option: number): string => `${pointer}~.${option}`;

/** The control that says which alternative the value is of, by its index. */
export const alternativeControl = ({ pointer }: Place): string => `${pointer}~.as`;

/** What it said when the fields of an alternative were drawn. */
export const drawnControl = ({ pointer }: Place): string => `${pointer}~.drawn`;

/** Whether each value has the fields of the alternative that its control says. */
export const areDrawn = (typed: Typed): boolean =>
  [...typed].every(([control, index]) => !control.endsWith("~.as") || typed.get(`${control.slice(0, -"~.as".length)}~.drawn`) === index);

/** The pointer in the value of a field that may be inside another alternative than that of it. */
export const placeOf = (pointer: string): string => pointer.replaceAll(/~\.as\d+/g, "");

export const isChecked = (typed: Typed, control: string): boolean => typed.get(control) === "on";
