#include <threads.h>
#include <stdlib.h>
int x;int w(void*a){x++;return 0;}int main(){thrd_t t,u;thrd_create(&t,w,0);thrd_create(&u,w,0);thrd_join(t,0);thrd_join(u,0);return 0;}
