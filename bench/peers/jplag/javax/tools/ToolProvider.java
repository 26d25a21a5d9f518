package javax.tools;

/**
 * In place of the JDK's: the Java that comes as a package has no compiler, which JPlag reads
 * programs with. This one gives the compiler of the class path, NetBeans' copy of the JDK's.
 */
public class ToolProvider {
    private ToolProvider() {
    }

    public static JavaCompiler getSystemJavaCompiler() {
        try {
            return (JavaCompiler) ClassLoader.getSystemClassLoader()
                    .loadClass("com.sun.tools.javac.api.JavacTool").getMethod("create")
                    .invoke(null);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }
}
