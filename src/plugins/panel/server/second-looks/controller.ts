/**
 * The marks of encounters that a moderator has skipped, for somebody else to look at. A mark says nothing of who set it, and
 * goes with the decision: it is of the queue, not of the record.
 */
import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import { isUuid } from '../../../../core/formats';
import { databaseOf } from '../../../objects/server';
import { sql } from '../../../objects/server/database/sql';
import { tell, type Work } from '../../../objects/server/database/work';
import type { PanelContext } from '../strapi-internals';

/** More than anybody leaves to others. */
const MAX_MARKS = 1000;

const WAITING = sql`select e.document_id from encounters e where e.state = 'pending'`;

export const secondLooksController = ({ strapi }: { strapi: Core.Strapi }) => ({
  /** The IDs of the marked encounters that wait. */
  async list(ctx: PanelContext): Promise<void> {
    const rows = await databaseOf(strapi).read(
      sql`select encounter from oms_second_looks where encounter in (${WAITING})
        order by encounter limit ${MAX_MARKS}`,
    );
    ctx.body = { data: rows.map(([id]) => String(id)) };
  },

  /** Marks an encounter that waits. */
  async mark(ctx: PanelContext): Promise<void> {
    const id = idOf(ctx);
    await databaseOf(strapi).write(() => renew(id, true));
    ctx.body = { data: null };
  },

  async unmark(ctx: PanelContext): Promise<void> {
    const id = idOf(ctx);
    await databaseOf(strapi).write(() => renew(id, false));
    ctx.body = { data: null };
  },
});

function idOf({ params }: PanelContext): string {
  const { id = '' } = params as { readonly id?: string };
  if (!isUuid(id)) throw new errors.ValidationError('id is invalid.');
  return id.toLowerCase();
}

/** Takes away the marks of what does not wait any more, too, so that no more stay than encounters wait. */
function* renew(id: string, isMarked: boolean): Work<void> {
  yield* tell(
    sql`delete from oms_second_looks where encounter = ${id}
      or not exists (${WAITING} and e.document_id = oms_second_looks.encounter)`,
  );
  if (isMarked)
    yield* tell(
      sql`insert into oms_second_looks (encounter)
        select e.document_id from encounters e where e.document_id = ${id} and e.state = 'pending'`,
    );
}

/** `routes/allowed.ts` opens them. */
const config = { policies: ['admin::isAuthenticatedAdmin', 'plugin::panel.mayUseApi'] };

export const secondLookRoutes = [
  { method: 'GET', path: '/second-looks', handler: 'secondLooks.list', config },
  { method: 'PUT', path: '/second-looks/:id', handler: 'secondLooks.mark', config },
  { method: 'DELETE', path: '/second-looks/:id', handler: 'secondLooks.unmark', config },
];
