/** Values of enumerations in lists: Strapi shows them as they are stored. A cell of ours takes the place of its own. */
import type { ReactNode } from 'react';
import type { StrapiApp } from '@strapi/strapi/admin';

const HOOK = 'Admin/CM/pages/ListView/inject-column-in-table';

interface Header {
  readonly name: string;
  readonly attribute?: { readonly type?: string };
  readonly cellFormatter?: unknown;
}

interface Given {
  readonly displayedHeaders: readonly Header[];
}

type Cell = (value: string, attribute: string, uid: string) => ReactNode;

/** To be called in `register`. @param cell what is shown of a value */
export function showValues(app: Pick<StrapiApp, 'registerHook'>, cell: Cell): void {
  app.registerHook(HOOK, (given: Given): Given => ({
    ...given,
    displayedHeaders: given.displayedHeaders.map((header) =>
      header.attribute?.type === 'enumeration'
        ? { ...header, cellFormatter: formatter(header.name, cell) }
        : header,
    ),
  }));
}

type Document = Readonly<Record<string, unknown>>;

const formatter =
  (attribute: string, cell: Cell) =>
  (document: Document, _header: unknown, { model }: { readonly model: string }): ReactNode => {
    const value = document[attribute];
    return typeof value === 'string' ? cell(value, attribute, model) : '-';
  };
