// The program: hands its arguments to the layers below.
#include <stdio.h>

int main(void)
{
    printf("duet %s\n", PACKAGE_VERSION);
    return fflush(stdout) == 0 ? 0 : 1;
}
