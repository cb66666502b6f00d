import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Template, UnknownInTemplate } from './template.ts';

/** What `cdk synth` writes for one stack. */
export interface Assembly {
  readonly stackName: string;
  readonly template: Template;
  /** The folder that is uploaded under that key. */
  assetFolder(key: string): string;
}

interface Manifest {
  readonly artifacts?: Readonly<Record<string, Artifact>>;
}

interface Artifact {
  readonly type: string;
  readonly displayName?: string;
  readonly properties?: {
    readonly templateFile?: string;
    readonly stackName?: string;
    readonly file?: string;
  };
}

interface AssetManifest {
  readonly files?: Readonly<Record<string, AssetFile>>;
}

interface AssetFile {
  readonly source: { readonly path: string };
  readonly destinations: Readonly<Record<string, { readonly objectKey: string }>>;
}

export function readAssembly(folder: string, stackName: string): Assembly {
  const manifest = readJson<Manifest>(join(folder, 'manifest.json'));
  const artifacts = Object.entries(manifest.artifacts ?? {});
  const stack = artifacts.find(
    ([id, { type, properties }]) =>
      type === 'aws:cloudformation:stack' && (properties?.stackName ?? id) === stackName,
  );
  const [id, { properties } = { properties: undefined }] = stack ?? [];
  if (id === undefined || !properties?.templateFile) {
    throw new UnknownInTemplate(`a stack named ${stackName}: ${folder} has none`);
  }
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
