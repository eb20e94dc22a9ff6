import type { Service } from '../../src/boot/boot';
import { objectsOf } from '../../src/plugins/objects/server';
import type { DemoAccounts, DemoName } from './accounts';

interface DemoCollaboration {
  readonly from: DemoName;
  readonly to: DemoName;
  readonly level: 'view' | 'edit';
  readonly isAccepted: boolean;
}

const COLLABORATIONS: readonly DemoCollaboration[] = [
  { from: 'user', to: 'colleague', level: 'view', isAccepted: true },
  { from: 'moderator', to: 'user', level: 'edit', isAccepted: false },
];

/** One side asks; where it is accepted, the other side does that. An instance that has collaborations keeps them. */
export async function makeCollaborations(
  { strapi }: Service,
  accounts: DemoAccounts,
): Promise<void> {
  if ((await strapi.documents('api::collaboration.collaboration').count({})) > 0) return;
  const type = 'collaboration';
  await strapi.db.transaction(async () => {
    for (const { from, to, level, isAccepted } of COLLABORATIONS) {
      const body = { user: accounts[to].id, level };
      const asked = { op: 'create', type, body } as const;
      const { id } = await objectsOf(strapi).write(asked, accounts[from].caller);
      if (!isAccepted) continue;
      const accepted = { op: 'update', type, id, body: { state: 'accepted' } } as const;
      await objectsOf(strapi).write(accepted, accounts[to].caller);
    }
  });
}
