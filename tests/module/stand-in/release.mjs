/** Which Foundry this page presents itself as: `?version=13` (default) or `?version=14`. */
export const pageParameters = new URLSearchParams(location.search);

export const generation = Number(pageParameters.get("version") ?? 13);
if (![13, 14].includes(generation)) throw new Error(`The stand-in knows Foundry 13 and 14, not ${generation}`);

const build = generation === 13 ? 351 : 360;
export const release = Object.freeze({
  generation, build, version: `${generation}.${build}`, channel: "stable", isDevelopment: false,
  display: `Version ${generation} Build ${build}`,
});

export const isV14 = generation >= 14;
