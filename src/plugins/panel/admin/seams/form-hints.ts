/** The hints of inputs in the reader's language: Strapi translates labels, and takes hints as they are in the schema. */
import type { StrapiApp } from '@strapi/strapi/admin';
import { changeForms, type FormInput } from './form-layout';

/** By language, and in it by the English hint. */
const known = new Map<string, Readonly<Record<string, string>>>();

export const knowHints = (language: string, hints: Readonly<Record<string, string>>): void =>
  void known.set(language, hints);

function translated(field: FormInput, hints: Readonly<Record<string, string>>): FormInput {
  const text = typeof field.hint === 'string' ? hints[field.hint] : undefined;
  return text === undefined ? field : { ...field, hint: text };
}

/** To be called in `register`. */
export function translateHints(app: Pick<StrapiApp, 'registerHook'>): void {
  changeForms(app, (form) => {
    const hints = known.get(document.documentElement.lang);
    if (!hints) return form;
    const layout = form.layout.map((panel) =>
      panel.map((row) => row.map((field) => translated(field, hints))),
    );
    return { ...form, layout };
  });
}
