/**
 * Forms in sections, which a type declares in its schema (`pluginOptions.panel.sections`): Strapi shows all inputs of a form
 * in one block. Its hook for the layout takes several blocks, and inputs that are no attribute's: a heading and a preview
 * are such inputs. Who may read the first attribute of a section is shown them.
 */
import type { ComponentType } from 'react';
import type { StrapiApp } from '@strapi/strapi/admin';
import { changeForms, type InputRow, type FormLayout } from './form-layout';

/** A section as the schema declares it. */
interface Section {
  readonly name: string;
  readonly attributes: readonly string[];
  /** Whether a preview of what is set in it is shown at its end. */
  readonly preview?: boolean;
}

const declaredBy = ({ options }: FormLayout): readonly Section[] =>
  (options['panel'] as { readonly sections?: readonly Section[] } | undefined)?.sections ?? [];

/** What a heading or a preview is given. */
export interface SectionProps {
  readonly section: string;
}

const HEADING = 'panel-section-heading';
const PREVIEW = 'panel-section-preview';

interface Parts {
  readonly heading: ComponentType<SectionProps>;
  readonly preview: ComponentType<SectionProps>;
}

/** To be called in `register`. */
export function divideForms(
  app: Pick<StrapiApp, 'registerHook' | 'addFields'>,
  { heading, preview }: Parts,
): void {
  app.addFields([
    { type: HEADING, Component: heading as ComponentType },
    { type: PREVIEW, Component: preview as ComponentType },
  ]);
  changeForms(app, divided);
}

/** The names of the sections that a form shows, in their order. */
export const sectionsOf = (form: FormLayout): readonly string[] =>
  declaredBy(form)
    .filter(({ attributes }) => form.layout.flat(2).some(({ name }) => attributes.includes(name)))
    .map(({ name }) => name);

function divided(form: FormLayout): FormLayout {
  const sections = declaredBy(form);
  if (sections.length === 0) return form;
  const rows = form.layout.flat();
  const among = (isIt: (name: string) => boolean): InputRow[] =>
    rows.map((row) => row.filter(({ name }) => isIt(name))).filter((row) => row.length > 0);
  const known = new Set(sections.flatMap(({ attributes }) => attributes));
  const blocks = sections.map((section) => {
    const own = among((name) => section.attributes.includes(name));
    const [first] = own.flat();
    if (!first) return [];
    const part = (type: string): InputRow => [
      { ...{ name: first.name, section: section.name, type, attribute: { type } }, ...PART },
    ];
    return [part(HEADING), ...own, ...(section.preview ? [part(PREVIEW)] : [])];
  });
  const others = among((name) => !known.has(name));
  return { ...form, layout: [...blocks, others].filter((block) => block.length > 0) };
}

/** An input of the whole width, without label or help of its own. */
const PART = { size: 12, visible: true, disabled: false, required: false, label: '' } as const;
