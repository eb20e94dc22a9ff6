/**
 * A small map without tiles: the land from Natural Earth, which is part of the panel and fetched as a file. It shows a position
 * as it is stored, and the square that strangers are told.
 */
import { useEffect, useRef } from 'react';
import { circle, geoJSON, map as makeMap, rectangle, type Map as LeafletMap } from 'leaflet';
import 'leaflet/dist/leaflet.css';
import { styled, useTheme } from 'styled-components';
import coarse from 'world-atlas/countries-110m.json?url';
import fine from 'world-atlas/countries-50m.json?url';
import { feature } from 'topojson-client';
import { axisCellOf, edgesOf } from '../../../../core/told-cell';

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
/** From this zoom on the coarse outline is too coarse. */
const FINE_FROM = 5;
const ZOOM = 6;

const Frame = styled.div`
  height: 18rem;
  /* Leaflet's own layers stay below dialogs. */
  isolation: isolate;
  border-radius: 4px;
  background: ${({ theme }) => theme.colors.secondary100};
  /* Strapi's rule for images makes what Leaflet draws on 0 px wide. */
  .leaflet-container :is(canvas, svg, img),
  &.leaflet-container :is(canvas, svg, img) {
    max-width: none !important;
  }
  /* Its buttons are white in any mode. */
  &.leaflet-container .leaflet-bar a {
    color: #32324d;
  }
`;

type Land = Parameters<typeof feature>[0];

async function landOf(url: string): Promise<Parameters<typeof geoJSON>[0]> {
  const topology = (await (await fetch(url)).json()) as Land;
  const { countries } = topology.objects;
  return countries ? feature(topology, countries) : undefined;
}

export default function LandMap({ latitude, longitude, uncertainty, isGeneralized, label }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const map = useRef<LeafletMap | null>(null);
  const { colors } = useTheme();

  useEffect(() => {
    if (!frame.current) return undefined;
    const made = makeMap(frame.current, {
      zoomControl: true,
      attributionControl: false,
      maxZoom: 12,
    });
    map.current = made;
    const style = {
      stroke: true,
      weight: 1,
      color: colors.neutral400,
      fillColor: colors.neutral0,
      fillOpacity: 1,
    };
    let isGone = false;
    let shown: string | null = null;
    const draw = async (): Promise<void> => {
      const url = made.getZoom() >= FINE_FROM ? fine : coarse;
      if (shown === url) return;
      shown = url;
      const land = await landOf(url).catch(() => undefined);
      if (isGone || shown !== url || !land) return;
      made.eachLayer((layer) => layer.options.pane === 'tilePane' && layer.remove());
      geoJSON(land, { style: () => style, interactive: false, pane: 'tilePane' }).addTo(made);
    };
    made.on('zoomend', () => void draw());
    return () => {
      isGone = true;
      map.current = null;
      made.remove();
    };
  }, [colors.neutral0, colors.neutral400]);

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
  }, [latitude, longitude, uncertainty, isGeneralized, colors.primary600, colors.warning600]);

  return <Frame ref={frame} role="group" aria-label={label} />;
}
