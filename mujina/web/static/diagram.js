// Draws the diagram in the fragment of the address, KIND/THEME/SOURCE, and tells the page how high it is. It runs in a frame
// that has no origin: nothing here can read the page, its cookies or the network.
(async () => {
  const { dataset } = document.currentScript, [kind, theme, text] = location.hash.slice(1).split("/"), source = decodeURIComponent(text),
    dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches,
    tell = (height) => parent.postMessage({ height }, "*"),
    load = (src) => new Promise((onload, onerror) => document.head.append(Object.assign(document.createElement("script"), { src, onload, onerror }))),
    draw = {
      async mermaid() {
        await load(dataset.mermaid);
        mermaid.initialize({ startOnLoad: false, securityLevel: "strict", suppressErrorRendering: true, theme: dark ? "dark" : "default" });
        return (await mermaid.render("diagram", source)).svg;
      },
      async plantuml() {
        await load(dataset.viz);
        const { renderToString } = await import(new URL(dataset.plantuml, location)), whole = /^\s*@start/.test(source) ? source : `@startuml\n${source}\n@enduml`;
        return new Promise((done, fail) => renderToString(whole.split(/\r\n|\r|\n/), done, fail));
      },
    };
  document.documentElement.style.colorScheme = dark ? "dark" : "light"; // a frame of another scheme than its page is not transparent
  try {
    document.body.innerHTML = await draw[kind]();
    if (kind === "plantuml" && dark) document.body.style.background = "#fff"; // it draws black on nothing
    tell(Math.ceil(document.querySelector("svg").getBoundingClientRect().height) + 2);
  } catch (error) {
    console.info(String(error));
    tell(0);
  }
})();
