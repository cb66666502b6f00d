// Runs in a page of the browser, where a test sends it: nothing of this file may use another part of it.

/** Every text that a person can see or hear. A field and a choice hold what is searched for, character by character. */
export function readTexts() {
  return [
    document.title,
    document.body.innerText,
    ...[...document.querySelectorAll('body *:not(input, option)')].flatMap((element) =>
      ['aria-label', 'title', 'alt', 'placeholder', 'value', 'data-title'].map((name) =>
        element.getAttribute(name),
      ),
    ),
  ].join('\n');
}

/** What hostile texts would have done. */
export function findWritten() {
  return {
    taken: 'taken' in globalThis,
    elements: document.querySelectorAll('.written, main img, main script, iframe').length,
    links: [...document.querySelectorAll('a')].filter(
      ({ protocol }) => !['http:', 'https:'].includes(protocol),
    ).length,
    foreign: [...document.querySelectorAll('a')].filter(({ hostname }) => hostname.includes('evil'))
      .length,
  };
}

/** All that a page of another origin can try, with cookies. */
export async function attack({ address, change }) {
  const attempt = async (init, path = '/run') =>
    fetch(`${address}${path}`, { credentials: 'include', ...init }).then(
      async (answer) => (answer.type === 'opaque' ? 'opaque' : await answer.text()),
      () => 'blocked',
    );
  const post = { method: 'POST', body: change };
  const json = { 'content-type': 'application/json' };
  const fetched = [
    await attempt(post),
    await attempt({ ...post, mode: 'no-cors' }),
    await attempt({ ...post, headers: json }),
    await attempt({ ...post, headers: { ...json, 'x-console-key': 'guess' } }),
    await attempt({}, '/'),
    await attempt({ mode: 'no-cors' }, '/page.js'),
  ];
  const load = (tag, path) =>
    new Promise((resolve) => {
      const element = document.createElement(tag);
      element.addEventListener('load', () => resolve('loaded'));
      element.addEventListener('error', () => resolve('blocked'));
      Object.assign(element, tag === 'link' ? { rel: 'stylesheet' } : {});
      element.setAttribute(
        { link: 'href', object: 'data', img: 'src', script: 'src', iframe: 'src' }[tag],
        `${address}${path}`,
      );
      document.body.append(element);
      setTimeout(() => resolve('silent'), 3_000);
    });
  const loaded = [
    await load('script', '/page.js'),
    await load('img', '/'),
    await load('link', '/page.css'),
  ];
  await load('iframe', '/');
  const frame = document.querySelector('iframe');
  let framed = 'hidden';
  try {
    framed = frame?.contentDocument?.body.innerText ?? 'hidden';
  } catch {}
  for (const enctype of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ]) {
    const form = document.createElement('form');
    const target = document.createElement('iframe');
    target.name = `target-${enctype}`;
    const field = document.createElement('input');
    field.name = change;
    Object.assign(form, {
      ...{ method: 'post', action: `${address}/run`, enctype, target: target.name },
    });
    form.append(field);
    document.body.append(target, form);
    form.submit();
  }
  const window_ = window.open(`${address}/`);
  // Until it has left its first page, which is empty and may be read.
  let read = '';
  while (read === '') {
    await new Promise((resolve) => setTimeout(resolve, 100));
    try {
      read = window_.document.body.innerText;
    } catch {
      read = 'hidden';
    }
  }
  window_?.postMessage({ command: 'resume' }, '*');
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { fetched, loaded, framed, read, cookies: document.cookie };
}

/** Tab begins anew. */
export function forgetTabs() {
  for (const element of document.querySelectorAll('[data-visited]')) {
    element.removeAttribute('data-visited');
  }
  document.activeElement?.blur();
}

/** Remembers what has the focus; false: it had it before. */
export function rememberTab() {
  const { activeElement: at } = document;
  if (!at || at === document.body) return true;
  const style = getComputedStyle(at);
  // In a field for a date, the browser marks the part.
  const isMarked = style.outlineStyle !== 'none' || at.matches('[type="date"]');
  if (!isMarked) {
    at.setAttribute('data-unmarked', '');
  }
  // A field for a date has several stops.
  const before = document.querySelector('[data-last]');
  before?.removeAttribute('data-last');
  at.setAttribute('data-last', '');
  if (at !== before && at.hasAttribute('data-visited')) return false;
  at.setAttribute('data-visited', '');
  return true;
}

export function missedByTab() {
  return (
    [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
      .filter((one) => one.checkVisibility() && !one.matches(':disabled, [data-visited]'))
      // Of a group of radio buttons one is reached, and arrows lead to the others.
      .filter((one) => !one.matches('[type="radio"], [role="tab"]'))
      .map((one) => `${one.tagName} ${one.textContent?.slice(0, 40)}`)
  );
}

/** What makes the page wider than the window. */
export function findTooWide() {
  if (document.documentElement.scrollWidth <= innerWidth) return [];
  return [...document.querySelectorAll('main *')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth)
    .filter((one) => !one.closest('.scrolls, pre'))
    .map((one) => `${one.tagName}.${one.className}`);
}
