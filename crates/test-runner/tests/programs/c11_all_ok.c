#include <threads.h>
#include <stdlib.h>
mtx_t m;cnd_t c;int v;once_flag o=ONCE_FLAG_INIT;int inits;tss_t k;void init(void){inits++;}
int w(void*a){call_once(&o,init);tss_set(k,a);mtx_lock(&m);while(!v)cnd_wait(&c,&m);v++;mtx_unlock(&m);return tss_get(k)==a?3:4;}
int main(){tss_create(&k,0);mtx_init(&m,mtx_plain);cnd_init(&c);thrd_t t[2];for(int i=0;i<2;i++)thrd_create(&t[i],w,&t[i]);mtx_lock(&m);v=1;cnd_broadcast(&c);mtx_unlock(&m);int bad=0;for(int i=0;i<2;i++){int r;thrd_join(t[i],&r);bad|=r!=3;}return bad||v!=3||inits!=1;}
