/** Parts of the edit form, by their paths in it: what is held there, and what is wrong with it. */
import { useField, useForm } from '@strapi/strapi/admin';

/** What the edit form gives to an input of a whole attribute. */
export interface InputProps {
  readonly name: string;
  readonly label?: React.ReactNode;
  readonly labelAction?: React.ReactNode;
  readonly hint?: React.ReactNode;
  readonly required?: boolean;
  readonly disabled?: boolean;
}

/** The properties of an input of a part. */
export interface PartProps {
  /** The path in the form, in dots. */
  readonly name: string;
  readonly label?: string;
  readonly hint?: string;
  readonly disabled?: boolean;
}

/** What is held at a path, and how it is changed. */
export function usePart<T>(name: string): {
  readonly value: T | null;
  readonly change: (value: T | null) => void;
} {
  const { value, onChange } = useField<T | null>(name);
  return { value: value ?? null, change: (next) => onChange(name, next) };
}

type Errors = Readonly<Record<string, unknown>>;

const isErrors = (value: unknown): value is Errors => typeof value === 'object' && value !== null;

/** The part of a list or record at which the server's errors about the whole of it are shown. */
const WHOLE = '_';

/** What is wrong at a path: its text, and the parts in which something is wrong. */
export function useFaults(name: string): {
  readonly text: string | undefined;
  readonly parts: Errors;
} {
  const errors = useForm('useFaults', (form) => form.errors);
  const found = name
    .split('.')
    .reduce<unknown>((at, part) => (isErrors(at) ? at[part] : undefined), errors);
  if (typeof found === 'string') return { text: found, parts: {} };
  if (!isErrors(found)) return { text: undefined, parts: {} };
  const { [WHOLE]: whole, ...parts } = found;
  return { text: typeof whole === 'string' ? whole : undefined, parts };
}

/** The texts of parts that have no input: of entries that are not there any more. */
export const unshownTexts = (parts: Errors, isShown: (name: string) => boolean): string[] =>
  Object.entries(parts).flatMap(([name, text]) =>
    typeof text === 'string' && !isShown(name) ? `${name}: ${text}` : [],
  );
