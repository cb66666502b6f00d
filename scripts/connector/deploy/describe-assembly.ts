import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly artifacts: Readonly<
    Record<string, { readonly properties?: { readonly templateFile?: string } }>
  >;
}

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
}

/** What `synth` wrote into this folder, and the command that comes next, in sentences. */
export function describeAssembly(folder: string): string {
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const { artifacts }: Manifest = read('manifest.json');
  const written = Object.entries(artifacts).flatMap(([stack, { properties }]) => {
    const file = properties?.templateFile;
    return file === undefined ? [] : [{ stack, file, template: read(file) as Template }];
  });
  const lines = written.map(({ stack, file, template }) => {
    const types = Object.values(template.Resources).map(({ Type }) => Type);
    const functions = types.filter((type) => type === 'AWS::Lambda::Function').length;
    return `  ${stack}: ${types.length} resources, ${functions} functions, in ${join(folder, file)}`;
  });
  const stage = written[0]?.stack.replace(/^loyalty-connector-/, '') ?? 'prod';
  const option = stage === 'prod' ? '' : ` --stage ${stage}`;
  return [
    'The settings are valid. Written:',
    ...lines,
    `Nothing was deployed. Next: npx loyalty-connector deploy${option}, which shows what would change on AWS and asks.`,
  ].join('\n');
}
