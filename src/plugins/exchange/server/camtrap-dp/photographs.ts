import type { License } from '../package/license';
import type { EncounterPhotographs, Photograph, Photographs } from '../package/dataset';
import { hasFile, type PackageFiles } from '../package/package-files';
import { readTable } from '../package/table';
import type { Job } from '../import/summary';
import type { Descriptor } from './descriptor';
import { Media, MEDIA_COLUMNS, readMedium, type Medium } from './media';
import type { Staging } from './staging';

/** Reads the table of media. @returns the photographs of the staged encounters; null without a table */
export async function readPhotographs(
  files: PackageFiles,
  { media: resource, mediaLicense, source }: Descriptor,
  staging: Staging,
  { summary, report }: Job,
): Promise<Photographs | null> {
  if (!resource) return null;
  const media = new Media();
  try {
    for await (const row of readTable(files, resource, MEDIA_COLUMNS, { onFault: report })) {
      const medium = readMedium(row);
      if (medium === 'elsewhere' || (medium && !(await hasFile(files, medium.path))))
        summary.photographs.elsewhere += 1;
      else if (medium) media.add(medium);
      else summary.photographs.refused += 1;
      row.faults.forEach(report);
    }
  } catch (error) {
    media.close();
    throw error;
  }
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
              .map(({ medium, asset }) => ({ photograph: of(medium, mediaLicense), asset })),
        };
    },
    keep: ({ id }, asset) => media.keep(id, asset),
    close: () => media.close(),
  };
}

function of({ id, path, name, origin }: Medium, license: License | null): Photograph {
  const body = { filename: name, ...(license === null ? {} : { license }) };
  return { id, path, body, place: { ...origin, field: 'filePath' } };
}
