import type { License } from '../package/license';
import type { EncounterPhotographs, Photograph, PackagePhotographs } from '../package/dataset';
import { hasFile, type PackageFiles } from '../package/package-files';
import { readTable } from '../package/table';
import type { ImportJob } from '../import/summary';
import type { Descriptor } from './descriptor';
import { Media, REQUIRED_OF_MEDIA, readMedium, type CamtrapMedium } from './media';
import type { Observation } from './observations';
import type { Staging } from './staging';

/** Reads the table of media; null without one. The caller closes it. */
export async function readMedia(
  files: PackageFiles,
  { media: resource }: Descriptor,
  { summary, report, stopped }: ImportJob,
): Promise<Media | null> {
  if (!resource) return null;
  const media = new Media();
  try {
    for await (const row of readTable(files, resource, REQUIRED_OF_MEDIA, { onFault: report })) {
      if (stopped()) break;
      const medium = readMedium(row);
      row.faults.forEach(report);
      if (medium === null) {
        summary.photographs.refused += 1;
        continue;
      }
      const isElsewhere = medium.isElsewhere || !(await hasFile(files, medium.path));
      if (isElsewhere) summary.photographs.elsewhere += 1;
      media.add({ ...medium, isElsewhere });
    }
    return media;
  } catch (error) {
    media.close();
    throw error;
  }
}

/** The addresses of the photographs of an observation that are not in the package. */
export const addressesOf = (media: Media | null, observation: Observation): readonly string[] =>
  media?.elsewhereOf(observation) ?? [];

/** The photographs of the staged encounters. */
export function photographsOf(
  media: Media,
  { mediaLicense, source }: Descriptor,
  staging: Staging,
): PackagePhotographs {
  return {
    get count() {
      return media.count;
    },
    *byEncounter(): Generator<EncounterPhotographs> {
      for (const { observation } of staging.sightings())
        yield {
          source,
          externalId: observation.id,
          photographs: () =>
            media
              .of(observation)
              .filter(({ medium }) => !medium.isElsewhere)
              .map(({ medium, asset }) => ({ photograph: of(medium, mediaLicense), asset })),
        };
    },
    keep: ({ id }, asset) => media.keep(id, asset),
    // They are those of the staging.
    close: () => undefined,
  };
}

function of({ id, path, name, origin }: CamtrapMedium, license: License | null): Photograph {
  const body = { filename: name, ...(license === null ? {} : { license }) };
  return { id, path, body, place: { ...origin, field: 'filePath' } };
}
