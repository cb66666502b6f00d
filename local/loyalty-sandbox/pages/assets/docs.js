const docs = document.getElementById('docs');
const { matches: isDark } = matchMedia('(prefers-color-scheme: dark)');
document.documentElement.classList.toggle('dark-mode', isDark);

const ui = window.SwaggerUIBundle({
  domNode: docs,
  url: '/openapi.json',
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // The gaps of the contract stand in it as x-not-shown.
  showExtensions: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelRendering: 'model',
  validatorUrl: null,
  onComplete() {
    ui.preauthorizeBasic('basic', docs.dataset.token, docs.dataset.key);
    // What Swagger UI leaves out for screen readers.
    const say = (place, name, value) => {
      for (const one of docs.querySelectorAll(place)) one.setAttribute(name, value);
    };
    say('#servers', 'aria-label', 'Server');
    say('h3, h4', 'aria-level', '2');
    say('.information-container, .schemes-server-container', 'role', 'region');
    say('.information-container', 'aria-label', 'About');
    say('.schemes-server-container', 'aria-label', 'Server and credentials');
  },
});
