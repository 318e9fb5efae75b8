// Before the first paint, and a file of its own: the page allows no inline scripts.
(() => {
  const wanted = localStorage.getItem('parley.theme');
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = wanted === 'light' || wanted === 'dark' ? wanted : dark ? 'dark' : 'light';
  document.documentElement.dataset.density = localStorage.getItem('parley.density') === 'compact' ? 'compact' : 'cosy';
})();
