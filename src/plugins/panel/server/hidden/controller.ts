/**
 * What strangers are not told of records, in numbers, and what a change of the settings that decide over it would hide or
 * show: beside the settings of the site.
 */
import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import {
  HIDDEN_TELLS,
  LOCATION_PRIVACIES,
  TELL_HIDDEN,
} from '../../../objects/server/site/settings';
import type { ProposedPrivacy } from '../../shared/hidden-now';
import { panelSourcesOf, untilClosed } from '../sources';
import type { PanelContext } from '../strapi-internals';

/** What each setting may be; of those that are on or off `true` and `false`. */
const CHOICES: Readonly<Record<keyof ProposedPrivacy, readonly string[]>> = {
  defaultLocationPrivacy: LOCATION_PRIVACIES,
  protectUnidentified: ['true', 'false'],
  readers: ['anyone', 'users'],
  hiddenTells: HIDDEN_TELLS,
  tellHidden: TELL_HIDDEN,
  showOwnerWhenHidden: ['true', 'false'],
};

/** @throws Error for an unknown setting, and for what it cannot be */
function proposedIn(query: Readonly<Record<string, unknown>>): ProposedPrivacy {
  const proposed = Object.entries(query).map(([name, text]) => {
    const choices = Object.hasOwn(CHOICES, name) ? CHOICES[name as keyof ProposedPrivacy] : [];
    if (!choices.some((one) => one === text))
      throw new errors.ValidationError(`${name} is invalid.`);
    return [name, choices.includes('true') ? text === 'true' : text];
  });
  return Object.fromEntries(proposed) as ProposedPrivacy;
}

export const hiddenController = ({ strapi }: { strapi: Core.Strapi }) => ({
  /** Ends with the connection: it looks at all records. */
  async count(ctx: PanelContext): Promise<void> {
    ctx.body = { data: await panelSourcesOf(strapi).get().hiddenNow(untilClosed(ctx)) };
  },

  /** The same. */
  async change(ctx: PanelContext): Promise<void> {
    const proposed = proposedIn(ctx.query);
    ctx.body = {
      data: await panelSourcesOf(strapi).get().hiddenChange(proposed, untilClosed(ctx)),
    };
  },
});

const config = { policies: ['admin::isAuthenticatedAdmin'] };

/** `routes/allowed.ts` opens them. */
export const hiddenRoutes = [
  { method: 'GET', path: '/hidden', handler: 'hidden.count', config },
  { method: 'GET', path: '/hidden/change', handler: 'hidden.change', config },
];
