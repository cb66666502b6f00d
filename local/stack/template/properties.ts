import { UnknownInTemplate } from './template.ts';

export type Properties = Readonly<Record<string, unknown>>;

/** Reads the resolved properties of one resource; what has another shape than expected is named. */
export function readerOf(logicalId: string, properties: Properties) {
  const wrong = (name: string, kind: string) =>
    new UnknownInTemplate(`a ${name} of ${logicalId} that is no ${kind}`);
  return {
    properties,
    text(name: string): string {
      const value = properties[name];
      if (typeof value === 'string') return value;
      throw wrong(name, 'text');
    },
    optionalText(name: string): string | undefined {
      return properties[name] === undefined ? undefined : this.text(name);
    },
    number(name: string): number {
      const value = Number(properties[name]);
      if (properties[name] !== undefined && Number.isFinite(value)) return value;
      throw wrong(name, 'number');
    },
    optionalNumber(name: string): number | undefined {
      return properties[name] === undefined ? undefined : this.number(name);
    },
    fields(name: string): Properties {
      const value = properties[name] ?? {};
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        return value as Properties;
      }
      throw wrong(name, 'object');
    },
    list(name: string): readonly unknown[] {
      const value = properties[name] ?? [];
      if (Array.isArray(value)) return value;
      throw wrong(name, 'list');
    },
    texts(name: string): readonly string[] {
      return this.list(name).map(String);
    },
  };
}

export type Reader = ReturnType<typeof readerOf>;
