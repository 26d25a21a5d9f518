// Builds one page without references: script and style are put into it, and its policy allows
// these two alone, by their hashes. src/output/html.c fills the comments `data` and `texts` of
// index.html. PAGE=server.html builds the page of `twinset serve`, which may ask its own server.
import {createHash} from "node:crypto";
import {defineConfig} from "vite";

const input = process.env.PAGE ?? "index.html";
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function onePage() {
    return {
        name: "one-page",
        enforce: "post",
        generateBundle(_, bundle) {
            const files = Object.values(bundle);
            const page = files.find((file) => file.fileName.endsWith(".html"));
            const script = files.find((file) => file.type === "chunk").code.trim();
            const style = files.find((file) => file.fileName.endsWith(".css")).source.trim();
            if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
                throw new Error("the script or style would end its own element");
            const policy = [
                "default-src 'none'",
                `script-src ${hash(script)}`,
                `style-src ${hash(style)}`,
                "img-src data:",
                ...(input === "server.html" ? ["connect-src 'self'"] : []),
                "base-uri 'none'",
                "form-action 'none'",
            ].join("; ");
            page.source = page.source
                .replace(/\s*<script[^>]*src=[^>]*><\/script>/, "")
                .replace(/\s*<link[^>]*stylesheet[^>]*>/, "")
                .replace("POLICY", () => policy)
                .replace("<!--style-->", () => `<style>${style}</style>`)
                .replace("<!--script-->", () => `<script>${script}</script>`);
            for (const name of Object.keys(bundle)) if (bundle[name] !== page) delete bundle[name];
        },
    };
}

export default defineConfig({
    build: {
        target: "es2022",
        modulePreload: false,
        cssCodeSplit: false,
        emptyOutDir: false,
        rollupOptions: {input, output: {format: "iife"}},
    },
    plugins: [onePage()],
});
