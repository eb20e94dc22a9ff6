/** The regions as a form offers them, and their boxes on a map. */
import { lazy, Suspense } from 'react';
import { Box, Flex, Typography } from '@strapi/design-system';
import { usePanelTexts } from '../parts/texts';
import type { RegionValues } from '../inputs/regions-input';
import { regionTree, type SettingsValues, type TextIn } from './values';

const BoxesMap = lazy(() => import('../parts/boxes-map'));

export function RegionsPreview(props: {
  readonly values: SettingsValues;
  readonly textIn: TextIn;
}) {
  const say = usePanelTexts('preview');
  const regions = regionTree(props.values.regions ?? []);
  if (regions.length === 0) return <Typography>{say('regions.none')}</Typography>;
  const nameOf = ({ id, name }: RegionValues): string => props.textIn(name) || (id ?? '–');
  const boxes = regions.flatMap((region) => {
    const sides = boxOf(region);
    return sides ? [{ name: nameOf(region), sides }] : [];
  });
  return (
    <Flex direction="column" alignItems="stretch" gap={3}>
      <Box tag="ul">
        {regions.map((region, at) => (
          <Box key={at} tag="li" paddingLeft={`${region.depth * 2}rem`}>
            <Typography>{nameOf(region)}</Typography>
          </Box>
        ))}
      </Box>
      {boxes.length === 0 ? null : (
        <Suspense fallback={<Typography variant="pi">{say('regions.map')}</Typography>}>
          <BoxesMap boxes={boxes} label={say('regions.map')} />
        </Suspense>
      )}
    </Flex>
  );
}

/** The sides of a box that is complete, in the order of RFC 7946. */
function boxOf({ bbox }: RegionValues): readonly [number, number, number, number] | null {
  const sides = bbox ?? [];
  const [west, south, east, north] = sides;
  if ([west, south, east, north].some((side) => typeof side !== 'number')) return null;
  return [west, south, east, north] as [number, number, number, number];
}
