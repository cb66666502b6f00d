import type { Template } from '../../../local/stack/template/template.ts';

/** Resources that moto's CloudFormation does not make ("No Moto CloudFormation support for …"). */
const NOT_MADE = new Set([
  'AWS::CloudWatch::Alarm',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Url',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
]);

/** The template without what moto cannot make. */
export function templateForMoto(
  template: Template,
  { region, account }: { readonly region: string; readonly account: string },
) {
  const resources = Object.entries(template.Resources);
  const missing = new Map(resources.filter(([, { Type }]) => NOT_MADE.has(Type)));
  const literal = (id: string) =>
    `arn:aws:secretsmanager:${region}:${account}:secret:${missing.get(id)?.Properties?.Name ?? id}`;

  /** What refers to a missing resource gets an address or an ARN of its form. */
  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { Ref: ref, 'Fn::GetAtt': attribute } = value as Record<string, unknown>;
    if (typeof ref === 'string' && missing.has(ref)) return literal(ref);
    if (Array.isArray(attribute) && missing.has(String(attribute[0]))) {
      return 'https://function.example.com/';
    }
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolve(one)]));
  }

  const made = resources
    .filter(([id]) => !missing.has(id))
    .map(([id, resource]) => [id, resolve({ ...resource, ...changed(id, resource) })]);
  const written = { Resources: Object.fromEntries(made), Outputs: resolve(template.Outputs) };
  return { written };
}

/** CloudFormation gives a FIFO queue a name that ends in `.fifo`, moto does not; the code is in no bucket here. */
function changed(id: string, { Type, Properties }: Template['Resources'][string]): object {
  if (Type === 'AWS::SQS::Queue') return { Properties: { ...Properties, QueueName: `${id}.fifo` } };
  if (Type !== 'AWS::Lambda::Function') return {};
  return { Properties: { ...Properties, Code: { ZipFile: 'export {}' } } };
}
