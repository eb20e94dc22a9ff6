/** What the panel shows of records and of the installation. The app provides it: neither is of the panel. */
import type { Core } from '@strapi/strapi';
import type { Caller } from '../../../core/caller';
import type { HiddenChange, HiddenNow, ProposedPrivacy } from '../shared/hidden-now';
import type { ChangedLately, InstallationNow, WaitingNow } from '../shared/home';
import type { MapTiles } from '../shared/map-tiles';
import type { PanelContext } from './strapi-internals';

/** Each ends with its signal: it may take long. */
export interface PanelSources {
  readonly hiddenNow: (signal: AbortSignal) => Promise<HiddenNow>;
  readonly hiddenChange: (proposed: ProposedPrivacy, signal: AbortSignal) => Promise<HiddenChange>;
  readonly waitingNow: (caller: Caller, signal: AbortSignal) => Promise<WaitingNow>;
  /** @param since milliseconds since 1970 */
  readonly changedLately: (
    since: number,
    caller: Caller,
    signal: AbortSignal,
  ) => Promise<ChangedLately>;
  readonly installationNow: () => Promise<InstallationNow>;
  readonly mapTiles: MapTiles | null;
}

/** The service `sources` of the plugin. */
export function createSources() {
  let provided: PanelSources | null = null;
  return {
    provide(sources: PanelSources): void {
      provided = sources;
    },
    get(): PanelSources {
      if (!provided) throw new Error('the app provides them in its bootstrap');
      return provided;
    },
  };
}

export const panelSourcesOf = (strapi: Core.Strapi): ReturnType<typeof createSources> =>
  strapi.plugin('panel').service('sources');

/** Is aborted with the connection of the request. */
export function untilClosed({ res }: PanelContext): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  return gone.signal;
}
