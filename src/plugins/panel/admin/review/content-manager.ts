/** What the content manager offers to other plugins, as far as it is used here. */
import type { ComponentType, ReactNode } from 'react';

/** A document of a list or of a page. */
export interface Document {
  readonly documentId: string;
  readonly version?: number | null;
  readonly [attribute: string]: unknown;
}

/** Given to what is added to the page of a document; a new one has no document yet. */
export interface PageProps {
  readonly model: string;
  readonly document?: Document;
}

/** Given to what is added to a list. */
export interface ListProps {
  readonly model: string;
  readonly documents: readonly Document[];
}

export interface SidePanel {
  readonly title: string;
  readonly content: ReactNode;
}

export interface BulkAction {
  readonly label: string;
  readonly variant: 'success-light' | 'danger-light' | 'secondary';
  readonly dialog: {
    readonly type: 'modal';
    readonly title: string;
    readonly content: ComponentType<{ readonly onClose: () => void }>;
  };
}

/** A component of the content manager: it may use hooks, and describes what is drawn; null draws nothing. */
export type Description<Props, Described> = (props: Props) => Described | null;

type BulkActionDescription = Description<ListProps, BulkAction>;

export interface ContentManager {
  addEditViewSidePanel(panels: readonly Description<PageProps, SidePanel>[]): void;
  addBulkAction(
    change: (actions: readonly BulkActionDescription[]) => readonly BulkActionDescription[],
  ): void;
}
