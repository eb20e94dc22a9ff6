/**
 * Forms in sections, which a type declares in its schema (`pluginOptions.panel.sections`): Strapi shows all inputs of a form
 * in one block. Its hook for the layout takes several blocks, and inputs that are no attribute's: a heading and a preview
 * are such inputs. Who may read the first attribute of a section is shown them. The hook is called many times while a page
 * opens: it is pure.
 */
import type { ComponentType } from 'react';
import type { StrapiApp } from '@strapi/strapi/admin';

const HOOK = 'Admin/CM/pages/EditView/mutate-edit-view-layout';

/** A section as the schema declares it. */
interface Section {
  readonly name: string;
  readonly attributes: readonly string[];
  /** Whether a preview of what is set in it is shown at its end. */
  readonly preview?: boolean;
}

interface FormField {
  readonly name: string;
}

type Row = readonly FormField[];

interface Layout {
  readonly layout: readonly (readonly Row[])[];
  readonly options: { readonly panel?: { readonly sections?: readonly Section[] } };
}

interface Given {
  readonly layout: Layout;
}

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
  app.registerHook(HOOK, (given: Given): Given => ({ ...given, layout: divided(given.layout) }));
}

/** The names of the sections that a form shows, in their order. */
export const sectionsOf = (layout: Layout): readonly string[] =>
  (layout.options.panel?.sections ?? [])
    .filter(({ attributes }) => layout.layout.flat(2).some(({ name }) => attributes.includes(name)))
    .map(({ name }) => name);

function divided(layout: Layout): Layout {
  const sections = layout.options.panel?.sections ?? [];
  if (sections.length === 0) return layout;
  const rows = layout.layout.flat();
  const among = (isIt: (name: string) => boolean): Row[] =>
    rows.map((row) => row.filter(({ name }) => isIt(name))).filter((row) => row.length > 0);
  const known = new Set(sections.flatMap(({ attributes }) => attributes));
  const blocks = sections.map((section) => {
    const own = among((name) => section.attributes.includes(name));
    const [first] = own.flat();
    if (!first) return [];
    const part = (type: string): Row => [
      { ...{ name: first.name, section: section.name, type, attribute: { type } }, ...PART },
    ];
    return [part(HEADING), ...own, ...(section.preview ? [part(PREVIEW)] : [])];
  });
  const others = among((name) => !known.has(name));
  return {
    ...layout,
    layout: [...blocks, others].filter((block) => block.length > 0),
  };
}

/** An input of the whole width, without label or help of its own. */
const PART = { size: 12, visible: true, disabled: false, required: false, label: '' } as const;
