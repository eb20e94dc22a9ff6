/** A position as it is stored, and the square that strangers are told. */
import { useEffect, useRef } from 'react';
import { circle, rectangle } from 'leaflet';
import { useTheme } from 'styled-components';
import { axisCellOf, edgesOf } from '../../../../core/told-cell';
import { MapFrame, useLandMap } from './land-map';

interface Props {
  readonly latitude: number;
  readonly longitude: number;
  /** Metres; null where it is not known. */
  readonly uncertainty: number | null;
  /** Whether strangers are told its square alone. */
  readonly isGeneralized: boolean;
  readonly label: string;
}

/** Metres of a mark that says nothing of how exact it is. */
const MARK = 60;
const ZOOM = 6;

export default function PositionMap({
  latitude,
  longitude,
  uncertainty,
  isGeneralized,
  label,
}: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const map = useLandMap(frame);
  const { colors } = useTheme();

  useEffect(() => {
    const drawn = map.current;
    if (!drawn) return undefined;
    drawn.setView([latitude, longitude], ZOOM, { animate: false });
    const [south, north] = edgesOf(axisCellOf('latitude', latitude));
    const [west, east] = edgesOf(axisCellOf('longitude', longitude));
    const told = { color: colors.warning600, weight: 2, fillOpacity: 0.15, interactive: false };
    const layers = [
      ...(isGeneralized
        ? [
            rectangle(
              [
                [south, west],
                [north, east],
              ],
              told,
            ),
          ]
        : []),
      circle([latitude, longitude], {
        radius: Math.max(uncertainty ?? 0, MARK),
        ...{ color: colors.primary600, weight: 8, fillOpacity: 0.3, interactive: false },
      }),
    ];
    for (const layer of layers) layer.addTo(drawn);
    return () => {
      for (const layer of layers) layer.remove();
    };
  }, [map, latitude, longitude, uncertainty, isGeneralized, colors.primary600, colors.warning600]);

  return <MapFrame ref={frame} role="group" aria-label={label} />;
}
