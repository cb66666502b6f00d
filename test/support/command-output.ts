import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';

const ajv = new Ajv({
  allErrors: true,
  strictTypes: false,
  strictRequired: false,
  strictTuples: false,
});
formats.default(ajv);
const validate = ajv.compile(
  JSON.parse(readFileSync('docs/command-output.schema.json', 'utf8')) as object,
);

/** How what a command printed with `--json` differs from the published form. */
export function faultsIn(printed: unknown): readonly string[] {
  validate(printed);
  return (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message}`);
}
