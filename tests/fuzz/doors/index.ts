import { openToRoles } from '../../helpers/callers';
import { SEED } from '../../helpers/counterexamples';
import type { Mailbox } from '../../helpers/mailbox';
import { useSettings } from '../../helpers/world';
import { faultsOf, type Door } from './door';
import { fieldDoors } from './fields';
import { fileDoors } from './files';
import { importDoors } from './imports';
import { mailDoors, panelDoors } from './panel';

/**
 * Each door by which texts come in, with the worst of them, on a shared service: they are refused as malformed before
 * anything costs time, or stored as they were sent.
 */
export function testDoors(mailbox: Mailbox): void {
  const { world } = mailbox;
  useSettings(world, {
    custom_fields: { encounter: [{ key: 'mood', type: 'string', label: { en: 'Mood' } }] },
  });
  beforeAll(() => openToRoles(world().service));
  const doors: readonly Door[] = [
    ...fieldDoors(world),
    ...fileDoors(world),
    ...importDoors(world),
    ...panelDoors(world),
    ...mailDoors(mailbox),
  ];
  test.each(doors.map((door, n) => [door.name, door, n] as const))(
    `the worst texts are refused, or stored as they were sent, at no cost: %s (OMS_FUZZ_SEED=${SEED})`,
    async (_, door, n) => {
      expect(await faultsOf(world(), door, n)).toEqual([]);
    },
    120_000,
  );
}
