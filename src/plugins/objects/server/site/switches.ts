/** Switches: settings of the site that grant or withdraw a right. */
import type { ErrorKey } from '../../../../core/errors';

/** The settings that switches depend on. */
export interface SwitchSettings {
  readonly readers: 'anyone' | 'users';
  readonly anonymousEncounters: boolean;
  readonly registrationOpen: boolean;
  readonly showOwnerWhenHidden: boolean;
}

interface Switch {
  isOn(settings: SwitchSettings): boolean;
  /**
   * The key for a caller who would have the right if the switch were on; by default LOGIN_REQUIRED or NOT_PERMITTED.
   */
  readonly refusal?: ErrorKey;
  /** The text in the table of permissions. */
  readonly text: string;
}

export const SWITCHES = {
  open: { isOn: ({ readers }) => readers === 'anyone', text: 'the site is open to readers' },
  reports: {
    isOn: ({ anonymousEncounters }) => anonymousEncounters,
    text: 'the site takes anonymous reports',
  },
  registration: {
    isOn: ({ registrationOpen }) => registrationOpen,
    refusal: 'REGISTRATION_CLOSED',
    text: 'registration is open',
  },
  owners: {
    isOn: ({ showOwnerWhenHidden }) => showOwnerWhenHidden,
    text: 'the site tells who reported what is not open',
  },
} as const satisfies Record<string, Switch>;

export type SwitchName = keyof typeof SWITCHES;

const NAMES = Object.keys(SWITCHES) as SwitchName[];

export const isSwitch = (name: string): name is SwitchName => Object.hasOwn(SWITCHES, name);

/** The switches that are on. */
export const switchesOn = (settings: SwitchSettings): ReadonlySet<SwitchName> =>
  new Set(NAMES.filter((name) => SWITCHES[name].isOn(settings)));

/** A cache key: the same for settings with the same switches on. */
export const switchKey = (settings: SwitchSettings): string =>
  NAMES.map((name) => (SWITCHES[name].isOn(settings) ? '1' : '0')).join('');

/** All combinations of switches that can be on together. */
export const switchSets = (): ReadonlySet<SwitchName>[] =>
  NAMES.reduce<ReadonlySet<SwitchName>[]>(
    (sets, name) => [...sets, ...sets.map((set) => new Set([...set, name]))],
    [new Set()],
  );
