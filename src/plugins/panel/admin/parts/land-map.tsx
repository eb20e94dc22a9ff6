/**
 * A small map: the land from Natural Earth, which is part of the panel and fetched as a file, and above it tiles, where the
 * operator has named a server of them.
 */
import { useEffect, useRef, type MutableRefObject, type RefObject } from 'react';
import { control, geoJSON, map as makeMap, tileLayer, type Map as LeafletMap } from 'leaflet';
import { getFetchClient } from '@strapi/strapi/admin';
import 'leaflet/dist/leaflet.css';
import { styled, useTheme } from 'styled-components';
import coarse from 'world-atlas/countries-110m.json?url';
import fine from 'world-atlas/countries-50m.json?url';
import { feature } from 'topojson-client';
import type { MapTiles } from '../../shared/map-tiles';

/** From this zoom on the coarse outline is too coarse. */
const FINE_FROM = 5;

export const MapFrame = styled.div`
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

/** Null without any, and where it cannot be asked: the land is there. */
async function askForTiles(): Promise<MapTiles | null> {
  try {
    const { data } = await getFetchClient().get<{ readonly data: MapTiles | null }>(
      '/panel/map-tiles',
    );
    return data.data;
  } catch {
    return null;
  }
}

function addTiles(map: LeafletMap, { url, attribution }: MapTiles): void {
  tileLayer(url, { maxZoom: map.getMaxZoom() }).addTo(map);
  // Leaflet takes it for HTML.
  const text = document.createElement('span');
  text.textContent = attribution;
  control.attribution({ prefix: false }).addAttribution(text.innerHTML).addTo(map);
}

/** Draws the land into a frame. @returns the map, once it is made */
export function useLandMap(frame: RefObject<HTMLDivElement>): MutableRefObject<LeafletMap | null> {
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
    void askForTiles().then((tiles) => {
      if (tiles && !isGone) addTiles(made, tiles);
    });
    return () => {
      isGone = true;
      map.current = null;
      made.remove();
    };
  }, [frame, colors.neutral0, colors.neutral400]);

  return map;
}
