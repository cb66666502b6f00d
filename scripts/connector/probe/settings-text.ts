import type { FoundSettings } from './step.ts';

/** Later settings win. Objects are merged, so that each step adds its own. */
export function mergeSettings(all: readonly FoundSettings[]): FoundSettings {
  return all.reduce((sum: FoundSettings, one) => merge(sum, one) as FoundSettings, {});
}

function merge(one: unknown, other: unknown): unknown {
  if (!isObject(one) || !isObject(other)) return other;
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(
    names.map((name) => [name, name in other ? merge(one[name], other[name]) : one[name]]),
  );
}

/** As they are written in `connector.config.ts`. */
export function settingsText(settings: unknown, indent = ''): string {
  if (!isObject(settings)) {
    return typeof settings === 'string' ? `'${settings}'` : JSON.stringify(settings);
  }
  const inner = `${indent}  `;
  const lines = Object.entries(settings).map(
    ([name, value]) => `${inner}${name}: ${settingsText(value, inner)},\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
