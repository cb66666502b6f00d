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

interface Content {
  readonly 'application/json': {
    readonly schema: Schema;
    readonly examples: { readonly one: { readonly value: unknown } };
  };
}

interface Operation {
  readonly summary: string;
  readonly 'x-example-query'?: string;
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
  const ofMethod = (method: 'get' | 'post', draw: typeof renderOperation) =>
    all.map(([path, { [method]: one }]) => one && draw(method, path, one));
  return html`<h1>The storefront’s API</h1>
<p class="lead">${prose(info.description)}</p>
<p>On this machine: <code>${to}/account</code>, and for pages of this shop <a href="${PROXY_PATH}/view">${PROXY_PATH}</a>. <a href="/api.yaml">As OpenAPI</a></p>
<table class="outline">
<thead><tr><th>Call</th><th>What it does</th></tr></thead>
<tbody>
${ofMethod('get', renderInOutline)}${ofMethod('post', renderInOutline)}</tbody>
</table>
<p class="links"><a href="#errors">Errors</a> <a href="#types">Types</a></p>
<h2>What a page shows</h2>
${ofMethod('get', renderOperation)}
<h2>What a customer does</h2>
${ofMethod('post', renderOperation)}
<h2 id="errors">Errors</h2>
${renderFields(Object.entries(components.responses).map(([name, { description }]) => ({ name, type: '', description })))}
<h2 id="types">Types</h2>
${Object.entries(components.schemas).map(
  ([name, schema]) => html`<details><summary><code>${name}</code></summary><div id="${name}">
${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`}
${schema.enum ? html`<p>${typeOf(schema)}</p>` : renderFields(fieldsOf(schema))}</div></details>\n`,
)}`;
}

const idOf = (method: string, path: string): string => `${method}${path.replaceAll('/', '-')}`;

const nameOf = (method: string, path: string): Html =>
  html`<code>${method.toUpperCase()} ${path}</code>`;

const renderInOutline = (method: string, path: string, { summary }: Operation): Html =>
  html`<tr><th scope="row"><a href="#${idOf(method, path)}">${nameOf(method, path)}</a></th><td>${prose((summary.split(/[.:] /)[0] ?? '').replace(/\.?$/, '.'))}</td></tr>\n`;

function renderOperation(method: string, path: string, operation: Operation): Html {
  const { summary, parameters = [], requestBody, responses } = operation;
  const given = parameters.map(({ name, required, description = '', schema }) => ({
    name,
    type: html`${typeOf(schema)}${!required && ', optional'}`,
    description,
  }));
  const sent = requestBody?.content['application/json'];
  const { schema: answer, examples } = responses['200'].content['application/json'];
  const query = operation['x-example-query'];
  const address = `${PROXY_PATH}${path}${query === undefined ? '' : `?${query}`}`;
  return html`<section class="call" id="${idOf(method, path)}">
<div><h3>${nameOf(method, path)}</h3>
<p>${prose(summary)}</p>
${renderFields([...given, ...(sent ? fieldsOf(sent.schema) : [])])}
<p class="note">Answers with ${answer.$ref === undefined ? 'these fields:' : typeOf(answer)}</p>
${renderFields(fieldsOf(answer))}</div>
<div class="example"><p>${method === 'get' ? html`<a href="${address}">${address}</a>` : html`<code>${address}</code>`}</p>
${sent && html`<pre>${jsonText(sent.examples.one.value)}</pre><p>Answer</p>`}
<pre>${jsonText(examples.one.value)}</pre></div></section>\n`;
}

/** Of characters: as many as a telephone shows. */
const MOST_IN_LINE = 38;

/** JSON in which what is short stays in one line. */
function jsonText(value: unknown, indent = ''): string {
  const whole = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ');
  if (indent.length + whole.length <= MOST_IN_LINE || typeof value !== 'object' || value === null)
    return whole;
  const deeper = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([name, one]) => {
    const text = jsonText(one, deeper);
    return `${deeper}${isList ? text : `"${name}": ${text}`}`;
  });
  const lines: string[] = [];
  for (const part of parts) {
    const joined = `${lines.at(-1)}, ${part.trimStart()}`;
    const fits = lines.length > 0 && !joined.includes('\n') && joined.length <= MOST_IN_LINE;
    if (fits) lines.pop();
    lines.push(fits ? joined : part);
  }
  return `${isList ? '[' : '{'}\n${lines.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
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
