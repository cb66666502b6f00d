import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import { PROXY_PATH } from '../app-proxy.ts';

/** Of OpenAPI, what docs/storefront-api.yaml uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
}

type Content = Readonly<Record<'application/json', { readonly schema: Schema }>>;

interface Operation {
  readonly summary: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<'200', { readonly content: Content }>>;
}

interface Described {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<'get' | 'post', Operation | undefined>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, { readonly description: string }>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** What pages ask of the storefront, with its address here. `to`: that of the storefront, with the path of the shop. */
export function renderApi(to: string): Html {
  const text = readFileSync(join(PACKAGE_FOLDER, 'docs/storefront-api.yaml'), 'utf8');
  const { info, paths, components }: Described = parse(text);
  const all = Object.entries(paths);
  const ofMethod = (method: 'get' | 'post') =>
    all.map(([path, { [method]: one }]) => one && renderOperation(method, path, one));
  return html`<h1>The storefront’s API</h1>
<p class="lead">${prose(info.description)}</p>
<p>On this machine: <code>${to}/account</code>, and for pages of this shop <a href="${PROXY_PATH}/view">${PROXY_PATH}</a>. <a href="/api.yaml">As OpenAPI</a></p>
<p class="links">${all.flatMap(([path, operations]) =>
    Object.keys(operations).map(
      (method) => html`<a href="#${idOf(method, path)}">${method.toUpperCase()} ${path}</a> `,
    ),
  )}<a href="#errors">Errors</a> <a href="#types">Types</a></p>
<h2>What a page shows</h2>
${ofMethod('get')}
<h2>What a customer does</h2>
${ofMethod('post')}
<h2 id="errors">Errors</h2>
${renderFields(Object.entries(components.responses).map(([name, { description }]) => ({ name, type: '', description })))}
<h2 id="types">Types</h2>
${Object.entries(components.schemas).map(
  ([name, schema]) => html`<section id="${name}"><h3>${name}</h3>
${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`}
${schema.enum ? html`<p>${typeOf(schema)}</p>` : renderFields(fieldsOf(schema))}</section>\n`,
)}`;
}

const idOf = (method: string, path: string): string => `${method}${path.replaceAll('/', '-')}`;

function renderOperation(method: string, path: string, operation: Operation): Html {
  const { summary, parameters = [], requestBody, responses } = operation;
  const given = parameters.map(({ name, required, description = '', schema }) => ({
    name,
    type: html`${typeOf(schema)}${!required && ', optional'}`,
    description,
  }));
  const body = requestBody ? fieldsOf(requestBody.content['application/json'].schema) : [];
  const answer = responses['200'].content['application/json'].schema;
  const isAskable = method === 'get' && parameters.every(({ required }) => !required);
  return html`<section id="${idOf(method, path)}"><h3><code>${method.toUpperCase()} ${path}</code></h3>
<p>${prose(summary)}</p>
${renderFields([...given, ...body])}
<p class="note">Answers with ${answer.$ref === undefined ? 'these fields:' : typeOf(answer)}</p>
${renderFields(fieldsOf(answer))}
${isAskable && html`<p><a class="button" href="${PROXY_PATH}${path}">Try it: ${PROXY_PATH}${path}</a></p>`}</section>\n`;
}

interface Field {
  readonly name: string;
  readonly type: Html | string;
  readonly description: string;
}

const renderFields = (fields: readonly Field[]): Html | false =>
  fields.length > 0 &&
  html`<dl class="fields">
${fields.map(
  ({ name, type, description }) =>
    html`<div><dt><code>${name}</code> <span class="note">${type}</span></dt><dd>${prose(description)}</dd></div>\n`,
)}</dl>`;

/** With those of objects in it, as `expiring.points` and `items[].id`. */
function fieldsOf({ allOf = [], properties = {} }: Schema, within = ''): readonly Field[] {
  const own = Object.entries(properties).flatMap(([name, schema]) => {
    const whole = within + name;
    const { items, description = '' } = schema;
    const inner = items ? fieldsOf(items, `${whole}[].`) : fieldsOf(schema, `${whole}.`);
    return [{ name: whole, type: typeOf(schema), description }, ...inner];
  });
  return [...allOf.flatMap((part) => fieldsOf(part, within)), ...own];
}

function typeOf(schema: Schema): Html {
  const { $ref, anyOf, items, type = 'object' } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return html`<a href="#${name}">${name}</a>`;
  }
  if (anyOf) return html`${anyOf.map((one, at) => html`${at > 0 && ' or '}${typeOf(one)}`)}`;
  if (schema.enum) return html`${schema.enum.map((one) => html`<code>${String(one)}</code> `)}`;
  const said = [type].flat().map((one) => (one === 'array' ? 'list' : one));
  return html`${said.join(' or ')}${items && html` of ${typeOf(items)}`}`;
}

/** What stands between backticks is code. */
const prose = (text: string): Html =>
  html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
