/** Reviews by the panel, through the writer: of the record on a page, or of a selection in a list. */
import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import type { Caller } from '../../../../core/caller';
import { ApiError, malformed } from '../../../../core/errors';
import { isUuid } from '../../../../core/formats';
import { textOf } from '../../../../core/messages';
import { inspectJson } from '../../../../core/text';
import { objectsOf, resourceOf } from '../../../objects/server';
import type { Action } from '../../../objects/server/declare/completed';
import type { Body, Outcome } from '../../../objects/server/declare/objects';
import { panelCaller } from '../accounts/panel-caller';
import { asStrapiError } from '../strapi-errors';
import type { PanelContext } from '../strapi-internals';
import { REVIEW } from './permission';

/** The largest page of a list. */
const MAX_RECORDS = 100;

/** A record, in the version that the user has seen. */
interface Seen {
  readonly id: string;
  readonly version: number;
}

/** What has come of one record: the status of the API, and for a refusal its text. */
interface Told {
  readonly id: string;
  readonly status: number;
  readonly message: string | null;
}

interface Reviewed {
  readonly type: string;
  readonly action: Action;
}

export const reviewController = ({ strapi }: { strapi: Core.Strapi }) => ({
  /** The states that the user may set now, for each of the records in `ids`. */
  async open(ctx: PanelContext): Promise<void> {
    const { type, action } = reviewedType(strapi, ctx);
    const { ids: given } = ctx.query;
    const ids = typeof given === 'string' ? given.split(',') : [];
    if (ids.length === 0 || ids.length > MAX_RECORDS || !ids.every(isUuid)) throw invalid('ids');
    const states = action.body.fields.find(({ name }) => name === 'state')?.choices ?? [];
    const caller = await panelCaller(strapi);
    const data: Record<string, readonly string[]> = {};
    for (const id of ids) data[id] = await openStates(strapi, { type, id, states, caller });
    ctx.body = { data };
  },

  /** Reviews records in one transaction; each is answered for itself. */
  async review(ctx: PanelContext): Promise<void> {
    const { type, action } = reviewedType(strapi, ctx);
    const { records, ...body } = (ctx.request.body ?? {}) as Body;
    if (!areRecords(records)) throw invalid('records');
    checkReview(action, body);
    const caller = await panelCaller(strapi);
    const changes = records.map(
      ({ id, version }) =>
        ({ op: 'act', type, id, action: REVIEW, body, ifMatch: [version] }) as const,
    );
    const outcomes = await objectsOf(strapi).writeAll(changes, caller);
    ctx.body = { data: outcomes.map((outcome, at) => told(records[at]?.id ?? '', outcome)) };
  },
});

function reviewedType(strapi: Core.Strapi, { params }: PanelContext): Reviewed {
  const resource = resourceOf(strapi, String((params as Body)['model']));
  const action = resource?.actions.get(REVIEW);
  if (!resource || !action) throw new errors.NotFoundError();
  return { type: resource.type, action };
}

const invalid = (name: string): Error => new errors.ValidationError(`${name} is invalid.`);

const areRecords = (value: unknown): value is readonly Seen[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MAX_RECORDS &&
  value.every((record: unknown) => {
    const { id, version } = (record ?? {}) as Body;
    return typeof id === 'string' && isUuid(id) && Number.isSafeInteger(version);
  });

/** @throws Error that the panel shows */
function checkReview(action: Action, body: Body): void {
  try {
    const forbidden = inspectJson(body);
    if (forbidden.length > 0) throw malformed(forbidden);
    action.body.check(body);
  } catch (error) {
    throw asStrapiError(error);
  }
}

/** The states that would not be refused. */
async function openStates(
  strapi: Core.Strapi,
  of: { type: string; id: string; states: readonly string[]; caller: Caller },
): Promise<readonly string[]> {
  const { type, id, states, caller } = of;
  const open: string[] = [];
  for (const state of states) {
    const change = { op: 'act', type, id, action: REVIEW, body: { state } } as const;
    const refusal = await refusalOf(objectsOf(strapi).check(change, caller));
    if (!refusal) open.push(state);
  }
  return open;
}

const told = (id: string, outcome: Outcome): Told =>
  outcome.ok
    ? { id, status: 200, message: null }
    : { id, status: outcome.error.status, message: textOf(outcome.error) };

/** The refusal of a change, null where there is none. @throws any other error */
async function refusalOf(work: Promise<unknown>): Promise<ApiError | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof ApiError && error.key !== 'UNAVAILABLE') return error;
    throw error;
  }
}

/** The panel's calls for reviews; `routes/allowed.ts` opens them. */
const config = { policies: ['admin::isAuthenticatedAdmin', 'plugin::panel.mayReview'] };

export const reviewRoutes = [
  { method: 'GET', path: '/review/:model', handler: 'review.open', config },
  { method: 'POST', path: '/review/:model', handler: 'review.review', config },
];
