import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a CloudFormation template that are read before its references are resolved. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** The template uses something that the local stack does not support. The message is for the user. */
export class UnknownInTemplate extends Error {
  constructor(what: string) {
    super(`The local stack does not know ${what}. Add it in local/stack/template.`);
  }
}

export type Properties = Readonly<Record<string, unknown>>;

/** Reads the resolved properties of one resource; an error names a property of the wrong type. */
export function readerOf(logicalId: string, properties: Properties) {
  const wrong = (name: string, kind: string) =>
    new UnknownInTemplate(`a ${name} of ${logicalId} that is not of type ${kind}`);
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

/** What `cdk synth` writes for one stack. */
export interface Assembly {
  readonly stackName: string;
  readonly template: Template;
  /** The folder that is uploaded under that key. */
  assetFolder(key: string): string;
}

interface Manifest {
  readonly artifacts?: Readonly<
    Record<
      string,
      { readonly type: string; readonly properties?: Readonly<Record<string, string>> }
    >
  >;
}

interface AssetManifest {
  readonly files?: Readonly<Record<string, AssetFile>>;
}

interface AssetFile {
  readonly source: { readonly path: string };
  readonly destinations: Readonly<Record<string, { readonly objectKey: string }>>;
}

/** Of the stack that is named, or of the only one. */
export function readAssembly(folder: string, only?: string): Assembly {
  const manifest = readJson<Manifest>(join(folder, 'manifest.json'));
  const artifacts = Object.entries(manifest.artifacts ?? {});
  const stack = artifacts.find(
    ([id, { type, properties }]) =>
      type === 'aws:cloudformation:stack' && (properties?.stackName ?? id) === (only ?? id),
  );
  const [id, { properties } = { properties: undefined }] = stack ?? [];
  if (id === undefined || !properties?.templateFile) {
    throw new UnknownInTemplate(`a stack named ${only}: ${folder} has none`);
  }
  const { stackName = id } = properties;
  const folders = assetFolders(folder, `${id}.assets.json`);
  return {
    stackName,
    template: readJson<Template>(join(folder, properties.templateFile)),
    assetFolder(key) {
      const found = folders.get(key);
      if (found === undefined) throw new UnknownInTemplate(`the asset ${key}`);
      return found;
    },
  };
}

function assetFolders(folder: string, file: string): ReadonlyMap<string, string> {
  const path = join(folder, file);
  const { files = {} } = existsSync(path) ? readJson<AssetManifest>(path) : {};
  return new Map(
    Object.values(files).flatMap(({ source, destinations }) =>
      Object.values(destinations).map(
        ({ objectKey }) => [objectKey, join(folder, source.path)] as const,
      ),
    ),
  );
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
