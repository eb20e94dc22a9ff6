/** Strapi's hook for the layout of a form. It is called many times while a page opens: what changes a layout is pure. */
import type { StrapiApp } from '@strapi/strapi/admin';

const HOOK = 'Admin/CM/pages/EditView/mutate-edit-view-layout';

/** An input of a form. */
export interface FormInput {
  readonly name: string;
  readonly hint?: unknown;
}

export type InputRow = readonly FormInput[];

/** The layout of a form: blocks of rows of inputs. */
export interface FormLayout {
  readonly layout: readonly (readonly InputRow[])[];
  /** `pluginOptions` of the type's schema, among others. */
  readonly options: Readonly<Record<string, unknown>>;
}

interface Given {
  readonly layout: FormLayout;
}

/** To be called in `register`. */
export function changeForms(
  app: Pick<StrapiApp, 'registerHook'>,
  change: (layout: FormLayout) => FormLayout,
): void {
  app.registerHook(HOOK, (given: Given): Given => ({ ...given, layout: change(given.layout) }));
}
