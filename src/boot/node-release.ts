/** Which releases of Node still get corrections (https://github.com/nodejs/release#release-schedule). */

/** The first that gets them beyond 2027. */
const RECOMMENDED = 24;

/** Major versions that get no more. */
const ENDED = 20;

/** What is said where the service runs on one. */
export const OLD_NODE = `this Node has had its last release in April 2026, and gets no corrections of security any more: install Node ${RECOMMENDED}`;

/** @param version as `process.version` */
export const oldNode = (version: string): boolean =>
  Number(/^v(\d+)\./.exec(version)?.[1] ?? RECOMMENDED) <= ENDED;
