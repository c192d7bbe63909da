/* A page of another origin tries to reach the server, with an address that has its token. */
const [inside, done] = arguments, got = {};
const attempt = async (name, act) => {
  try {
    got[name] = await act();
  } catch {
    got[name] = "nothing";
  }
};
const loaded = (node) => new Promise((yes, no) => {
  node.onload = () => yes("loaded");
  node.onerror = no;
  document.body.append(node);
});
const opened = (address) => new Promise((yes, no) => {
  const news = new EventSource(address);
  news.onopen = () => yes("open");
  news.onerror = () => { news.close(); no(); };
});
(async () => {
  await attempt("read", async () => (await fetch(`${inside}jobs/1/document`)).text());
  await attempt("blind", async () => (await fetch(inside, { mode: "no-cors" })).text());
  await attempt("write", async () => (await fetch(`${inside}tables?bundled=econ`, { method: "POST", mode: "no-cors" })).text());
  await attempt("module", async () => Object.keys(await import(`${inside}assets/dom.js`)));
  await attempt("script", () => loaded(Object.assign(document.createElement("script"), { src: `${inside}assets/dom.js` })));
  await attempt("news", () => opened(`${inside}events`));
  await attempt("frame", async () => document.querySelector("iframe").contentDocument.body.innerText);
  done(got);
})();
