import { useIntl } from 'react-intl';
import { Typography } from '@strapi/design-system';
import type { Description, Document, PageProps, SidePanel } from '../review/content-manager';

const TAXA = 'api::taxonomy.taxonomy';
const PROTECTED: ReadonlySet<unknown> = new Set(['obscured', 'private']);
/** Nothing is above them. */
const HIGHEST: ReadonlySet<unknown> = new Set(['kingdom', 'superkingdom', 'domain']);

/** A page has of a relation how many documents are at its other end, or null. */
const isEmpty = (relation: unknown): boolean =>
  relation === null ||
  (typeof relation === 'object' && 'count' in relation && relation.count === 0);

const isUncovered = ({ locationPrivacy, parent, accepted, rank }: Document): boolean =>
  PROTECTED.has(locationPrivacy) && isEmpty(parent) && isEmpty(accepted) && !HIGHEST.has(rank);

/** Beside a protected taxon without a parent: what is identified to a rank above it is not covered. */
export const UncoveredPanel: Description<PageProps, SidePanel> = ({ model, document }) => {
  const intl = useIntl();
  if (model !== TAXA || !document || !isUncovered(document)) return null;
  const say = (id: string): string =>
    intl.formatMessage({ id: `panel.uncovered.${id}`, defaultMessage: id });
  return { title: say('title'), content: <Typography variant="pi">{say('text')}</Typography> };
};
