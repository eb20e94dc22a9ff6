/** What of the site's settings opens or closes a right. */
import type { ErrorKey } from '../../../../core/errors';

/** The settings that switches look at. */
export interface SwitchSettings {
  readonly readers: 'anyone' | 'users';
  readonly anonymousEncounters: boolean;
  readonly registrationOpen: boolean;
}

interface Switch {
  isOn(settings: SwitchSettings): boolean;
  /** What a caller is told who could do it, were it on; else that a login is wanted, or no permission. */
  readonly refusal?: ErrorKey;
  /** In the table of permissions. */
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
} as const satisfies Record<string, Switch>;

export type SwitchName = keyof typeof SWITCHES;

const NAMES = Object.keys(SWITCHES) as SwitchName[];

export const isSwitch = (name: string): name is SwitchName => Object.hasOwn(SWITCHES, name);

/** The switches that are on. */
export const switchesOn = (settings: SwitchSettings): ReadonlySet<SwitchName> =>
  new Set(NAMES.filter((name) => SWITCHES[name].isOn(settings)));

/** Same for settings in which the same switches are on. */
export const switchKey = (settings: SwitchSettings): string =>
  NAMES.map((name) => (SWITCHES[name].isOn(settings) ? '1' : '0')).join('');

/** Each set of switches that can be on together. */
export const switchSets = (): ReadonlySet<SwitchName>[] =>
  NAMES.reduce<ReadonlySet<SwitchName>[]>(
    (sets, name) => [...sets, ...sets.map((set) => new Set([...set, name]))],
    [new Set()],
  );
