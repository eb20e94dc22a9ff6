/**
 * The hints of inputs in the reader's language: Strapi translates labels, and takes hints as they are in the schema. Its hook
 * for the layout of a form is called many times while a page opens: it is pure.
 */
import type { StrapiApp } from '@strapi/strapi/admin';

const HOOK = 'Admin/CM/pages/EditView/mutate-edit-view-layout';

interface FormField {
  readonly hint?: unknown;
}

interface Given {
  readonly layout: { readonly layout: readonly (readonly (readonly FormField[])[])[] };
}

/** By language, and in it by the English hint. */
const known = new Map<string, Readonly<Record<string, string>>>();

export const knowHints = (language: string, hints: Readonly<Record<string, string>>): void =>
  void known.set(language, hints);

function translated(field: FormField, hints: Readonly<Record<string, string>>): FormField {
  const text = typeof field.hint === 'string' ? hints[field.hint] : undefined;
  return text === undefined ? field : { ...field, hint: text };
}

/** To be called in `register`. */
export function translateHints(app: Pick<StrapiApp, 'registerHook'>): void {
  app.registerHook(HOOK, (given: Given): Given => {
    const hints = known.get(document.documentElement.lang);
    if (!hints) return given;
    const layout = given.layout.layout.map((panel) =>
      panel.map((row) => row.map((field) => translated(field, hints))),
    );
    return { ...given, layout: { ...given.layout, layout } };
  });
}
